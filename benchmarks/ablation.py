"""What each lever of a recall brings: recall with all of them, and with each one taken away.

    uv run python -m benchmarks.ablation --data DIR --set NAME [--tuned STORE …] [--now 2024-02-01] [--words]

DIR holds NAME.statements.jsonl (id, store, text, agent, at …) and NAME.queries.jsonl (store, query, relevant, …).
A lever is taken away by settings alone, so anybody can try another value: `--try retrieval.time_weight=0.8`.
"""

import argparse
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.offtopic import Row, fill, read
from benchmarks.stores import opened
from memory_cli.operations.recall import recall

DEPTH = 10
# What is off without a lever; a model's own weight stands beside `dense_weight`.
LEVERS: Mapping[str, Sequence[str]] = {
    "nothing": (),
    "meaning": ("retrieval.dense_weight=0",),
    "words": ("retrieval.bm25_weight=0",),
    "the named agent": ("retrieval.agent_weight=0",),
    "neighbours": ("retrieval.neighbour_weight=0",),
    "answers after questions": ("retrieval.answer_weight=0", "retrieval.question_penalty=0"),
    "low length normalisation": ("retrieval.bm25_b=0.75",),
    "time words": ("retrieval.time_weight=0",),
    "named tags": ("retrieval.tag_weight=0",),
    "named kinds": ("retrieval.kind_weight=0",),
    "identifiers": ("retrieval.identifier_weight=0",),
    "repetitions set aside": ("retrieval.duplicate_cosine=1",),
    "the floor": ("retrieval.floor=0", "retrieval.floor_words=0", "retrieval.floor_alone=0"),
    "cheap rare words first": ("retrieval.match_budget=10000000",),
}

Score = tuple[float, float, float]


def ask(folder: Path, rows: Iterable[Row], off: Sequence[str], words: bool, now: datetime) -> list[tuple[str, Score]]:
    """Return for each question its kind, recall at 1 and at 5, and the reciprocal rank."""
    scored = []
    for row in rows:
        with opened(folder, assignments=off, now=now) as memory:
            found = [each.id for each in recall(memory, row["query"], limit=DEPTH, words=words, budget=0).units]
        right = set(row["relevant"])
        first = next((1 / rank for rank, each in enumerate(found, 1) if each in right), 0.0)
        share = [len(right & set(found[:depth])) / len(right) for depth in (1, 5)]
        scored.append((row.get("category", ""), (share[0], share[1], first)))
    return scored


def line(name: str, scored: Sequence[Score]) -> str:
    """Return a row of the table."""
    if not scored:
        return ""
    return f"{len(scored):>6}" + "".join(f"{statistics.fmean(column):8.3f}" for column in zip(*scored, strict=True))


def main() -> None:
    """Fill a store for each group once, and ask all its questions with each lever taken away."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", required=True)
    parser.add_argument("--tuned", nargs="*", default=[], help="the stores that the weights were chosen on")
    parser.add_argument("--only", nargs="*", help="levers to try, instead of all")
    parser.add_argument("--try", nargs="*", default=[], dest="tried", help="other settings, one try each")
    parser.add_argument("--now", default="", help="the moment at which the questions are asked")
    parser.add_argument("--category", action="store_true", help="a row for each kind of question")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the stores for another run")
    parser.add_argument("--words", action="store_true", help="words only, no meaning")
    told = parser.parse_args()
    levers = {name: off for name, off in LEVERS.items() if told.only is None or name in told.only}
    levers |= {each: each.split() for each in told.tried}
    now = datetime.fromisoformat(told.now).replace(tzinfo=UTC) if told.now else datetime.now(UTC)
    with tempfile.TemporaryDirectory() as temporary:
        folders = filled(told.keep or Path(temporary), told.data, told.set)
        queries = read(told.data, told.set, "queries")
        print(f"{'without':40}{'':10}{'n':>6}{'R@1':>8}{'R@5':>8}{'MRR':>8}")
        for name, off in levers.items():
            groups: dict[str, list[Score]] = defaultdict(list)
            for store, folder in folders.items():
                half = "tuned" if store in told.tuned else "held out"
                mine = [row for row in queries if row["store"] == store]
                for category, score in ask(folder, mine, off, told.words, now):
                    for key in (half, *([f"{half}/{category}"] if told.category else [])):
                        groups[key].append(score)
            for key in sorted(groups):
                print(f"{name:40}{key:22}{line(key, groups[key])}", flush=True)


def filled(folder: Path, data: Path, name: str) -> dict[str, Path]:
    """Return a folder with a filled store for each group of statements."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in read(data, name, "statements"):
        groups[row["store"]].append(row)
    for store, held in groups.items():
        if not (folder / store / "storage").exists():
            fill(folder / store, held)
    return {store: folder / store for store in groups}


if __name__ == "__main__":
    main()
