"""What the writers of `benchmarks.crashes` do, step by step, and what a store must hold after each: a model of it."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

OPERATIONS = (
    "record", "again", "update", "forget", "forget tag", "forget agent", "purge", "handoff", "clear", "import", "undo",
    "undo of undo", "trust", "reindex", "embed", "doctor",
)  # fmt: skip
AGENTS = ("ann", "bob", "cy")
TAGS = ("red", "green", "blue")
# Whose records carry no tag.
IMPORTER = "carrier"
WRITER = "benchmark"
IMPORTED = 20


@dataclass(frozen=True)
class Row:
    """A statement as the model knows it: its words, and the pairs of agent and tag that it came from."""

    text: str
    origins: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class State:
    """What a store must hold, whether its project is trusted, and what no file may hold any more."""

    rows: frozenset[Row]
    trusted: bool = False
    purged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing to do; which fields say something depends on its kind."""

    kind: str
    id: str = ""
    text: str = ""
    agent: str = ""
    tag: str = ""
    count: int = 0


@dataclass
class _Change:
    before: dict[str, Row | None]
    undoes: int = 0


@dataclass
class _Model:
    rows: dict[str, Row] = field(default_factory=dict)
    changes: list[_Change] = field(default_factory=list)
    texts: dict[str, set[str]] = field(default_factory=dict)
    purged: tuple[str, ...] = ()
    trusted: bool = False
    handoff: str = ""

    def change(self, after: Mapping[str, Row | None], undoes: int = 0) -> None:
        self.changes.append(_Change({id: self.rows.get(id) for id in after}, undoes))
        for id, row in after.items():
            self.rows.pop(id, None)
            if row:
                self.rows[id] = row
                self.texts.setdefault(id, set()).add(row.text)

    def undo(self, number: int) -> None:
        self.change(self.changes[number - 1].before, undoes=number)

    def undone_by(self, number: int) -> int:
        later = [place for place, each in enumerate(self.changes, 1) if each.undoes == number]
        return later[-1] if later and not self.undone_by(later[-1]) else 0

    def newest(self) -> int:
        standing = (place for place, each in enumerate(self.changes, 1) if each.before and not each.undoes)
        return max((place for place in standing if not self.undone_by(place)), default=0)

    def purge(self, id: str) -> None:
        self.rows.pop(id, None)
        self.purged += tuple(sorted(self.texts.pop(id)))
        for each in self.changes:
            each.before.pop(id, None)

    def state(self) -> State:
        return State(frozenset(self.rows.values()), self.trusted, self.purged)


Maker = Callable[[_Model, random.Random, int], Step | None]


def plan(seed: int, only: str = "") -> Iterator[tuple[Step, State]]:
    """Yield without end what to do next, and what the store holds when it is done.

    With an operation named, that one comes every second time, where there is something for it to do.
    """
    chance = random.Random(seed)
    model = _Model()
    for number in range(10**9):
        kind = only if only and number % 2 else chance.choice(OPERATIONS)
        step = MAKERS.get(kind, _idle(kind))(model, chance, number) or _record(model, chance, number)
        yield step, model.state()


def _idle(kind: str) -> Maker:
    return lambda model, chance, number: Step(kind)


def _record(model: _Model, chance: random.Random, number: int) -> Step:
    agent, tag = chance.choice(AGENTS), chance.choice(TAGS)
    step = Step("record", f"s{number}.", f"statement {number} about tea;", agent, tag)
    model.change({step.id: Row(step.text, frozenset({(agent, tag)}))})
    return step


def _some(model: _Model, chance: random.Random) -> str:
    known = sorted(model.rows.keys() - {model.handoff})
    return chance.choice(known) if known else ""


def _again(model: _Model, chance: random.Random, number: int) -> Step | None:
    id, agent, tag = _some(model, chance), chance.choice(AGENTS), chance.choice(TAGS)
    if not id:
        return None
    row = model.rows[id]
    # The same words again are a change even where all else is as it was: the statement moves to the top.
    model.change({id: replace(row, origins=row.origins | {(agent, tag)})})
    return Step("again", text=row.text, agent=agent, tag=tag)


def _update(model: _Model, chance: random.Random, number: int) -> Step | None:
    id = _some(model, chance)
    if not id:
        return None
    row = model.rows[id]
    step = Step("update", id, f"{row.text} changed in {number};")
    model.change({id: replace(row, text=step.text)})
    return step


def _forget(model: _Model, chance: random.Random, number: int) -> Step | None:
    id = _some(model, chance)
    if not id:
        return None
    model.change({id: None})
    return Step("forget", id)


def _purge(model: _Model, chance: random.Random, number: int) -> Step | None:
    # Also what is forgotten and stands in the history alone.
    known = sorted(model.texts.keys() - {id for id in model.texts if id.startswith("h")})
    if not known:
        return None
    id = chance.choice(known)
    model.purge(id)
    return Step("purge", id)


def _forget_tag(model: _Model, chance: random.Random, number: int) -> Step | None:
    tag = chance.choice(TAGS)
    agents = {id: {who for who, tagged in row.origins if tagged == tag} for id, row in model.rows.items()}
    return _forget_origins(model, Step("forget tag", tag=tag), {id: whose for id, whose in agents.items() if whose})


def _forget_agent(model: _Model, chance: random.Random, number: int) -> Step | None:
    agent = chance.choice((*AGENTS, IMPORTER))
    whose = {id: {agent} for id, row in model.rows.items() if any(who == agent for who, _tag in row.origins)}
    return _forget_origins(model, Step("forget agent", agent=agent), whose)


def _forget_origins(model: _Model, step: Step, whose: Mapping[str, set[str]]) -> Step | None:
    if not whose:
        return None
    after: dict[str, Row | None] = {}
    for id, agents in whose.items():
        left = frozenset(each for each in model.rows[id].origins if each[0] not in agents)
        after[id] = replace(model.rows[id], origins=left) if left else None
    model.change(after)
    return replace(step, count=len(after))


def _handoff(model: _Model, chance: random.Random, number: int) -> Step:
    step = Step("handoff", f"h{number}", f"handoff {number};")
    last = {model.handoff: None} if model.handoff in model.rows else {}
    model.change({**last, step.id: Row(step.text, frozenset({(WRITER, "")}))})
    _find_handoff(model)
    return step


def _clear(model: _Model, chance: random.Random, number: int) -> Step | None:
    if model.handoff not in model.rows:
        return None
    model.change({model.handoff: None})
    return Step("clear")


def _import(model: _Model, chance: random.Random, number: int) -> Step:
    step = Step("import", f"i{number}", f"imported {number}", IMPORTER)
    row = frozenset({(IMPORTER, "")})
    model.change({f"{step.id}-{place}": Row(f"{step.text} {place};", row) for place in range(IMPORTED)})
    return step


def _undo(model: _Model, chance: random.Random, number: int) -> Step | None:
    newest = model.newest()
    if not newest:
        return None
    model.undo(newest)
    _find_handoff(model)
    return Step("undo")


def _undo_of_undo(model: _Model, chance: random.Random, number: int) -> Step | None:
    last = len(model.changes)
    if not last or not model.changes[-1].undoes or not model.changes[-1].before:
        return None
    model.undo(last)
    _find_handoff(model)
    return Step("undo of undo", count=last)


def _find_handoff(model: _Model) -> None:
    model.handoff = next((id for id in model.rows if id.startswith("h")), "")


def _trust(model: _Model, chance: random.Random, number: int) -> Step:
    model.trusted = not model.trusted
    return Step("trust", count=int(model.trusted))


MAKERS: Mapping[str, Maker] = {
    "record": _record,
    "again": _again,
    "update": _update,
    "forget": _forget,
    "forget tag": _forget_tag,
    "forget agent": _forget_agent,
    "purge": _purge,
    "handoff": _handoff,
    "clear": _clear,
    "import": _import,
    "undo": _undo,
    "undo of undo": _undo_of_undo,
    "trust": _trust,
}
