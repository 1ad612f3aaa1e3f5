"""Our own lines of JSON."""

from collections.abc import Iterable, Iterator

from memory_cli.operations.importing.record import Found


def records(lines: Iterable[str]) -> Iterator[Found]:
    """Yield a record for each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield Found(
                f"line {number}", line, len(line) if line.isascii() else len(line.encode(errors="surrogatepass"))
            )
