"""A graph as a tree, as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from memory_cli.cli.tables import QUIET, rendered, text
from memory_cli.models.links import Edge, Graph, Node

WORDS = 60


@rendered.register
def _(result: Graph) -> Iterator[RenderableType]:
    """Hang each statement below one that it is linked to, the one with most links on top."""
    nodes = {each.id: each for each in result.nodes}
    near: dict[str, list[Edge]] = {each: [] for each in nodes}
    for edge in result.edges:
        near[edge.from_id].append(edge)
        near[edge.to_id].append(edge)
    shown: set[str] = set()
    for id in sorted(nodes, key=lambda each: -len(near[each])):
        if id not in shown:
            yield _tree(id, nodes, near, shown)


def _tree(root: str, nodes: dict[str, Node], near: dict[str, list[Edge]], shown: set[str]) -> Tree:
    """Return all that can be reached from a statement, each statement once and nearest to the top."""
    top = Tree(_told(nodes[root]), guide_style=QUIET)
    shown.add(root)
    waiting = [(root, top)]
    while waiting:
        id, branch = waiting.pop(0)
        for edge in near[id]:
            outward = edge.from_id == id
            other = edge.to_id if outward else edge.from_id
            if other not in shown:
                shown.add(other)
                name = f"{edge.type}{'' if outward else ' by'} "
                waiting.append((other, branch.add(Text.assemble((name, QUIET), _told(nodes[other])))))
    return top


def _told(node: Node) -> Text:
    words = " ".join(node.text.split())
    cut = words if len(words) <= WORDS else f"{words[: WORDS - 1]}…"
    return Text.assemble((f"{node.id} ", "bold"), text(cut, "strike" if node.superseded else ""))
