"""Every setting, declared once: its type, its default, its bounds and what it does."""

from dataclasses import field, fields
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple, get_args, get_origin

from memory_cli.models.frozen import Frozen

Value = bool | int | float | str | tuple[str, ...]
Kind = Literal["identity", "runtime", "retrieval"]


# A named tuple is made eight times as fast as a dataclass, and every start makes this one.
class Setting(NamedTuple):
    """What the type and the default of a setting cannot say."""

    sentence: str
    kind: Kind = "runtime"
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    # What could run or fetch something, move data out or lay secrets bare is not for a file that came with a clone.
    project: bool = True
    secret: bool = False
    empty_ok: bool = False


class Storage(Frozen):
    """How the files of a store are read and written."""

    lock_deadline_ms: Annotated[
        int, Setting("How long a command waits for a busy store before it gives up.", at_least=0, at_most=600_000)
    ] = 10_000
    busy_timeout_ms: Annotated[
        int, Setting("How long one attempt to lock a store waits inside SQLite.", at_least=0, at_most=60_000)
    ] = 200
    journal_mode: Annotated[
        str, Setting("SQLite's journal; delete suits network file systems.", choices=("wal", "delete"))
    ] = "wal"
    synchronous: Annotated[
        str, Setting("How much SQLite waits for the disk; full survives a power cut.", choices=("full", "normal"))
    ] = "full"


class Record(Frozen):
    """What may be remembered."""

    max_characters: Annotated[int, Setting("The longest statement that is taken.", at_least=1, at_most=100_000_000)] = (
        1_000_000
    )


class Redact(Frozen):
    """What is blotted out before a statement is stored."""

    enabled: Annotated[bool, Setting("Whether secrets are blotted out before they are stored.", project=False)] = True
    allow: Annotated[
        tuple[str, ...], Setting("What is never blotted out, however secret it looks.", project=False, empty_ok=True)
    ] = ()
    patterns: Annotated[
        tuple[str, ...],
        # Not for a project's file: a wide one that came with a clone would blot out what its user records.
        Setting("Further regular expressions of what to blot out.", project=False, empty_ok=True),
    ] = ()


class Dense(Frozen):
    """Which model stands for meaning."""

    embedding_model: Annotated[
        str, Setting("The model that makes vectors; another one means embedding again.", kind="identity", project=False)
    ] = "all-MiniLM-L6-v2-int8"
    reranker_model: Annotated[
        str,
        Setting(
            "The cross-encoder that settles the order: a folder, or a name among your models; empty: none does.",
            kind="retrieval",
            project=False,
            empty_ok=True,
        ),
    ] = ""
    reranker_sha256: Annotated[
        str,
        Setting(
            "The SHA-256 that the reranker's model.onnx must have.", kind="retrieval", project=False, empty_ok=True
        ),
    ] = ""


class Runtime(Frozen):
    """Where and how things run."""

    embed_in_recall: Annotated[
        int, Setting("How many pending statements a recall embeds before it answers.", at_least=0, at_most=100_000)
    ] = 64
    threads: Annotated[int, Setting("How many threads the model computes on.", at_least=1, at_most=256)] = 1
    batch: Annotated[int, Setting("How many texts the model embeds at a time.", at_least=1, at_most=1024)] = 16
    helper: Annotated[
        int,
        Setting(
            "How many idle seconds a warm process is kept that a recall by meaning leaves behind; 0: none is.",
            at_least=0,
            at_most=86_400,
            project=False,
        ),
    ] = 0
    # Neither is for a project's file, which would otherwise lift what the user forbade or choose whom to ask.
    offline: Annotated[bool, Setting("Refuse whatever fetches something, such as a model.", project=False)] = False
    model_endpoint: Annotated[
        str,
        Setting(
            "The address of a mirror to pull models from; empty: the hub itself, or HF_ENDPOINT.",
            project=False,
            empty_ok=True,
        ),
    ] = ""


class Retrieval(Frozen):
    """What an answer admits, and in what order."""

    budget: Annotated[
        int, Setting("About how many tokens a recall answers with.", kind="retrieval", at_least=50, at_most=1_000_000)
    ] = 2000
    limit: Annotated[
        int, Setting("How many statements a recall answers with.", kind="retrieval", at_least=1, at_most=1000)
    ] = 10
    pool_depth: Annotated[
        int, Setting("How many candidates each leg of a recall gives.", kind="retrieval", at_least=1, at_most=100_000)
    ] = 200
    rerank_depth: Annotated[
        int, Setting("How many of the best the reranker puts in order.", kind="retrieval", at_least=1, at_most=1000)
    ] = 50
    rerank_ms: Annotated[
        int,
        Setting("How long the reranker may take over one recall.", kind="retrieval", at_least=0, at_most=600_000),
    ] = 1000
    match_budget: Annotated[
        int,
        Setting(
            "About how many matching rows words are looked up in, the rarest words first.",
            kind="retrieval",
            at_least=100,
            at_most=10_000_000,
        ),
    ] = 20_000
    duplicate_cosine: Annotated[
        float, Setting("The likeness from which two statements say the same.", kind="retrieval", at_least=0, at_most=1)
    ] = 0.99
    bm25_weight: Annotated[
        float, Setting("What the best match by words counts.", kind="retrieval", at_least=0, at_most=100)
    ] = 1.0
    dense_weight: Annotated[
        float, Setting("What a match by meaning counts.", kind="retrieval", at_least=0, at_most=100)
    ] = 1.0
    bm25_k1: Annotated[
        float, Setting("How much a word that stands there again still adds.", kind="retrieval", at_least=0, at_most=10)
    ] = 1.2
    bm25_b: Annotated[
        float, Setting("How much long statements are marked down.", kind="retrieval", at_least=0, at_most=1)
    ] = 0.4
    identifier_weight: Annotated[
        float,
        Setting(
            "How much more an identifier counts that is found as a whole.",
            kind="retrieval",
            at_least=0,
            at_most=10,
        ),
    ] = 1.0
    agent_weight: Annotated[
        float,
        Setting(
            "How much an agent whom the query names lifts its statements.",
            kind="retrieval",
            at_least=0,
            at_most=10,
        ),
    ] = 1.2
    neighbour_weight: Annotated[
        float,
        Setting("What a statement gains from a match recorded next to it.", kind="retrieval", at_least=0, at_most=1),
    ] = 0.3
    neighbour_minutes: Annotated[
        int,
        Setting(
            "Statements further apart in time are no neighbours.",
            kind="retrieval",
            at_least=0,
            at_most=10_000_000,
        ),
    ] = 60
    question_penalty: Annotated[
        float, Setting("By what share a statement that asks is marked down.", kind="retrieval", at_least=0, at_most=1)
    ] = 0.2
    answer_weight: Annotated[
        float,
        Setting(
            "How much more a statement gains from a question just before it.",
            kind="retrieval",
            at_least=0,
            at_most=10,
        ),
    ] = 0.7
    floor: Annotated[
        float,
        Setting("What words and meaning must find together for an answer.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.75
    floor_words: Annotated[
        float,
        Setting("The share of a query to be found where words stand alone.", kind="retrieval", at_least=0, at_most=1),
    ] = 0.2
    floor_meaning: Annotated[
        float,
        Setting("What meaning counts toward the floor, words counting 1.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.65
    floor_alone: Annotated[
        float,
        Setting("The likeness that is enough for an answer by itself.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.7
    floor_statements: Annotated[
        int,
        Setting(
            "Among fewer statements than this, less likeness is enough for an answer.",
            kind="retrieval",
            at_least=2,
            at_most=10_000_000,
        ),
    ] = 200
    least_meaning: Annotated[
        float,
        Setting(
            "The likeness that a statement without a word of the query needs.",
            kind="retrieval",
            at_least=0,
            at_most=1,
        ),
    ] = 0.25
    relative_margin: Annotated[
        float, Setting("What scores below this share of the best is left out.", kind="retrieval", at_least=0, at_most=1)
    ] = 0.2
    latin_share: Annotated[
        float,
        Setting(
            "The share of letters that a model must know to be asked about a text.",
            kind="retrieval",
            at_least=0,
            at_most=1,
        ),
    ] = 0.5


class Context(Frozen):
    """What a conversation starts with."""

    budget: Annotated[
        int, Setting("About how many tokens a context may take.", kind="retrieval", at_least=50, at_most=1_000_000)
    ] = 2000


class Settings(Frozen):
    """Every setting in force, by section."""

    storage: Storage = field(default_factory=Storage)
    record: Record = field(default_factory=Record)
    redact: Redact = field(default_factory=Redact)
    dense: Dense = field(default_factory=Dense)
    runtime: Runtime = field(default_factory=Runtime)
    retrieval: Retrieval = field(default_factory=Retrieval)
    context: Context = field(default_factory=Context)


class Key(NamedTuple):
    """One setting as the layers know it."""

    section: str
    name: str
    type: type
    default: Value
    setting: Setting

    @property
    def full(self) -> str:
        """Name the key as files and flags do."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """Name the variable that sets the key."""
        return f"MEMORY_{self.section}_{self.name}".upper()


DEFAULTS = Settings()


def _declared() -> dict[str, Key]:
    keys = {}
    for section in fields(DEFAULTS):
        values = getattr(DEFAULTS, section.name)
        for each in fields(values):
            annotated, setting = get_args(each.type)
            assert isinstance(setting, Setting), each.name
            key = Key(section.name, each.name, get_origin(annotated) or annotated, getattr(values, each.name), setting)
            keys[key.full] = key
    return keys


KEYS = MappingProxyType(_declared())
SECTIONS = frozenset(section.name for section in fields(Settings))
