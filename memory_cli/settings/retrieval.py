"""The settings of an answer: what it admits, and in what order."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


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
    ] = 150
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
    time_weight: Annotated[
        float,
        Setting("How much a time that the query names lifts what is of it.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.5
    tag_weight: Annotated[
        float,
        Setting("How much a tag that the query names lifts what has it.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.3
    kind_weight: Annotated[
        float,
        Setting("How much a kind that the query names lifts what is of it.", kind="retrieval", at_least=0, at_most=10),
    ] = 0.2
    kind_weights: Annotated[
        tuple[str, ...],
        Setting("What the scores of kinds are multiplied by, as KIND=WEIGHT.", kind="retrieval", weights=True,
                empty_ok=True),
    ] = ()  # fmt: skip
    source_weights: Annotated[
        tuple[str, ...],
        Setting("What the scores of sources are multiplied by, as SOURCE=WEIGHT.", kind="retrieval", weights=True,
                empty_ok=True),
    ] = ()  # fmt: skip
    superseded_weight: Annotated[
        float,
        Setting("What the score of a superseded statement is multiplied by; 0 puts it last.", kind="retrieval",
                at_least=0, at_most=1),
    ] = 0.0  # fmt: skip
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
