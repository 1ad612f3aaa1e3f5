"""The settings of the store, of what is taken in, and of how things run."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


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


class Runtime(Frozen):
    """Where and how things run."""

    embed_in_recall: Annotated[
        int, Setting("How many pending statements a recall embeds before it answers.", at_least=0, at_most=100_000)
    ] = 64
    threads: Annotated[int, Setting("How many threads the model computes on.", at_least=1, at_most=256)] = 1
    batch: Annotated[int, Setting("How many texts the model embeds at a time.", at_least=1, at_most=1024)] = 8
    helper: Annotated[
        int,
        Setting(
            "How many idle seconds a warm process is kept that a recall by meaning leaves behind; 0: none is.",
            at_least=0,
            at_most=86_400,
            project=False,
        ),
    ] = 0
    http_max_bytes: Annotated[
        int,
        Setting("The largest request that is taken over HTTP.", at_least=1000, at_most=1_000_000_000, project=False),
    ] = 8_000_000
    http_concurrency: Annotated[
        int, Setting("How many requests over HTTP are worked on at once.", at_least=1, at_most=10_000, project=False)
    ] = 64
    http_hosts: Annotated[
        tuple[str, ...],
        Setting("Further names that the server over HTTP is reached by.", project=False, empty_ok=True),
    ] = ()
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


class Context(Frozen):
    """What a conversation starts with."""

    budget: Annotated[
        int, Setting("About how many tokens a context may take.", kind="retrieval", at_least=50, at_most=1_000_000)
    ] = 2000
    categories: Annotated[
        tuple[str, ...], Setting("The categories that a context reads.", kind="retrieval", empty_ok=True)
    ] = ()
