"""How often a question about something else is answered with nothing, and what that costs.

    uv run python -m benchmarks.offtopic --data DIR [--settings dense.embedding_model=use-m3]

DIR holds sets as NAME.statements.jsonl (id, store, text, …) and NAME.queries.jsonl (store, query, relevant); no data
comes with the project. Each set's questions are asked of stores of the other sets, and of one of this machine's own
package descriptions; its own questions are asked of its own stores, once with the floor and once without, to count
the right answers that the floor takes away.
"""

import argparse
import json
import random
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.stores import opened, roots
from memory_cli.operations.import_ import import_
from memory_cli.operations.recall import recall
from memory_cli.operations.reindex import reindex

NO_FLOOR = ("retrieval.floor=0", "retrieval.floor_words=0", "retrieval.floor_alone=0")
DEPTH = 5

Row = dict[str, Any]


def read(data: Path, name: str, part: str) -> list[Row]:
    """Return the rows of one part of a set."""
    with (data / f"{name}.{part}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def packages(count: int) -> list[Row]:
    """Return descriptions of software packages, as statements about code."""
    text = subprocess.run(["apt-cache", "search", "library"], capture_output=True, text=True, check=True).stdout
    lines = sorted(text.splitlines())
    chosen = random.Random(1).sample(lines, min(count, len(lines)))
    return [{"id": f"package/{place}", "store": "packages", "text": line} for place, line in enumerate(chosen)]


def fill(folder: Path, statements: Iterable[Row], assignments: Sequence[str] = ()) -> None:
    """Make a store that holds the statements with their vectors."""
    roots(folder)
    lines = [json.dumps({key: value for key, value in each.items() if key != "store"}) for each in statements]
    with opened(folder, assignments=assignments) as memory:
        import_(memory, lines)
    with opened(folder, assignments=assignments) as memory:
        reindex(memory, vectors_only=True)


def ask(folder: Path, query: str, words: bool, assignments: Sequence[str] = ()) -> list[str]:
    """Return the ids that a recall shows."""
    with opened(folder, assignments=assignments) as memory:
        return [each.id for each in recall(memory, query, limit=DEPTH, words=words, budget=0).units]


def main() -> None:
    """Fill a store for each group of statements and ask each a sample of every other's questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=40, help="how many questions of a group to ask of a store")
    parser.add_argument("--words", action="store_true", help="words only, no meaning")
    parser.add_argument("--settings", nargs="*", default=[], help="settings of all stores, such as another model")
    told = parser.parse_args()
    names = sorted(path.name.split(".")[0] for path in told.data.glob("*.queries.jsonl"))
    statements: dict[str, list[Row]] = defaultdict(list)
    queries: dict[str, list[Row]] = defaultdict(list)
    for name in names:
        for row in read(told.data, name, "statements"):
            statements[f"{name}/{row['store']}"].append(row)
        for row in read(told.data, name, "queries"):
            queries[f"{name}/{row['store']}"].append(row)
    statements["packages"] = packages(1000)
    report(measured(statements, queries, told.queries, told.words, told.settings))


def measured(
    statements: dict[str, list[Row]],
    queries: dict[str, list[Row]],
    count: int,
    words: bool,
    settings: Sequence[str] = (),
) -> list[tuple[str, int, int, int, int]]:
    """Return for each store: foreign questions asked, answered with nothing; own right answers, those lost."""
    chance = random.Random(7)
    rows = []
    for store, held in statements.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            fill(folder, held, settings)
            # A set's own groups speak of the same things in other words, or in other languages.
            foreign = [row for group, asked in queries.items() if group.split("/")[0] != store.split("/")[0]
                       for row in chance.sample(asked, min(count, len(asked)))]  # fmt: skip
            empty = sum(not ask(folder, row["query"], words, settings) for row in foreign)
            right = lost = 0
            for row in queries.get(store, [])[: 2 * count]:
                if set(row["relevant"]) & set(ask(folder, row["query"], words, [*settings, *NO_FLOOR])):
                    right += 1
                    lost += not ask(folder, row["query"], words, settings)
            rows.append((store, len(foreign), empty, right, lost))
    return rows


def report(rows: Sequence[tuple[str, int, int, int, int]]) -> None:
    """Print a line a store and one for all."""
    print(f"{'store':24}{'off-topic':>10}{'empty':>8}{'share':>8}{'right':>8}{'lost':>6}{'share':>8}")
    total = ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
    for name, asked, empty, right, lost in (*rows, total):
        shares = (f"{empty / asked:8.1%}", f"{lost / right:8.1%}" if right else f"{'':8}")
        print(f"{name:24}{asked:>10}{empty:>8}{shares[0]}{right:>8}{lost:>6}{shares[1]}")


if __name__ == "__main__":
    main()
