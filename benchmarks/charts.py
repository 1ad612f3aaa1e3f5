"""Draws the charts of the documents from the figures in `benchmarks/figures.json`.

    uv run python -m benchmarks.charts

A chart is a list of panels, a panel a title and bars; a target is a line across its bar.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "benchmarks" / "figures.json"
CHARTS: Mapping[str, Path] = {"summary": ROOT / "docs/summary.svg", "recall": ROOT / "docs/recall.svg"}

WIDTH, LEFT, BARS, ROW, HEAD, GAP = 760, 250, 400, 26, 34, 18
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .bar { fill: #2f6fb3 } .missed { fill: #b35900 } .track { fill: #d8dee4 } .target { stroke: #24292f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .bar { fill: #6cb0ff } .missed { fill: #f0a35e } .track { fill: #30363d }
    .target { stroke: #e6edf3 }
  }
"""

Panel = Mapping[str, Any]


def drawn(panels: Sequence[Panel], name: str) -> str:
    """Return panels as an SVG picture that is readable in light and dark."""
    lines: list[str] = []
    top = GAP
    for panel in panels:
        lines += _panel(panel, top)
        top += HEAD + ROW * len(panel["bars"]) + GAP
    said = "; ".join(f"{each['title']}: {_said(each)}" for each in panels)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" '
            f'role="img" aria-label="{escape(said)}">',
            f"<title>{escape(name)}</title>",
            f"<style>{STYLE}</style>",
            *lines,
            "</svg>\n",
        ]
    )


def made() -> dict[Path, str]:
    """Return every chart with the file that it belongs to."""
    with FIGURES.open(encoding="utf-8") as file:
        figures = json.load(file)
    return {path: drawn(figures[name], name) for name, path in CHARTS.items()}


def _panel(panel: Panel, top: int) -> Iterator[str]:
    bars = panel["bars"]
    most = max(max(each["value"], each.get("target", 0)) for each in bars) or 1
    told = "target: the line; less is better" if panel["lower"] else "more is better"
    yield f'<text class="title" x="16" y="{top + 14}">{escape(panel["title"])}</text>'
    yield f'<text x="{WIDTH - 16}" y="{top + 14}" text-anchor="end">{told}</text>'
    for place, each in enumerate(bars):
        yield from _bar(each, most, top + HEAD + ROW * place, lower=panel["lower"])


def _bar(each: Panel, most: float, top: int, *, lower: bool) -> Iterator[str]:
    value, target = each["value"], each.get("target")
    missed = target is not None and (value > target if lower else value < target)
    yield f'<text x="{LEFT - 10}" y="{top + 14}" text-anchor="end">{escape(each["name"])}</text>'
    yield f'<rect class="track" x="{LEFT}" y="{top + 2}" width="{BARS}" height="16" rx="2"/>'
    kind, length = "missed" if missed else "bar", BARS * value / most
    yield f'<rect class="{kind}" x="{LEFT}" y="{top + 2}" width="{length:.1f}" height="16" rx="2"/>'
    if target is not None:
        at = LEFT + BARS * target / most
        yield f'<line class="target" x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{top + 20}"/>'
    shown = f"{value:g}" + (f" / {target:g}" if target is not None else "")
    yield f'<text x="{LEFT + BARS + 10}" y="{top + 14}">{shown}</text>'


def _said(panel: Panel) -> str:
    return ", ".join(f"{each['name']} {each['value']:g}" for each in panel["bars"])


def main() -> None:
    """Write every chart."""
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
