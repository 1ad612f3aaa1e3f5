"""Links between statements, and what the operations on them answer."""

from dataclasses import field
from datetime import datetime

from memory_cli.models.frozen import Frozen

SIMILAR, TAG, SUPERSEDES = "similar", "tag", "supersedes"
RELATED = "related"
MADE = (SUPERSEDES, "contradicts", "supports", RELATED)
TYPES = (SIMILAR, TAG, *MADE)


class Link(Frozen):
    """An edge from one statement to another, by their ids; one without an agent was derived and not made."""

    from_id: str
    to_id: str
    type: str
    score: float
    at: datetime
    agent: str = ""
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What names it in the history: its ends and its type."""
        return f"{self.from_id} {self.type} {self.to_id}"


class Edge(Frozen):
    """A link as an answer shows it; `agent` made it, and `tags` are those that both ends have."""

    from_id: str
    to_id: str
    type: str
    score: float
    created_at: str
    agent: str = ""
    tags: list[str] = field(default_factory=list)


class LinkShown(Frozen):
    """A link of a statement with the other end: its scope and the beginning of its words, or that it is missing."""

    from_id: str
    to_id: str
    type: str
    score: float
    created_at: str
    agent: str = ""
    tags: list[str] = field(default_factory=list)
    scope: str = ""
    text: str = ""
    missing: bool = False
    foreign: bool = False


class Links(Frozen):
    """The links of one statement, in either direction: those that somebody made first, then the nearest."""

    id: str
    scope: str
    links: list[LinkShown]
    truncated: bool = False


class Linked(Frozen):
    """A link that was made, or was there already; `superseded` says that the old statement is marked so now."""

    from_id: str
    to_id: str
    type: str
    scope: str
    already_linked: bool = False
    superseded: bool = False


class Unlinked(Frozen):
    """The links that were removed; `current` names statements that are superseded no more."""

    removed: list[Edge]
    current: list[str] = field(default_factory=list)


class Node(Frozen):
    """One statement of a graph: the beginning of its words, and what it is."""

    id: str
    scope: str
    text: str
    kind: str
    agents: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    superseded: bool = False
    foreign: bool = False


class Graph(Frozen):
    """Statements and the links between them; `truncated` says that there are more."""

    nodes: list[Node]
    edges: list[Edge]
    truncated: bool = False
    hint: str = ""
