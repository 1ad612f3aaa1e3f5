"""The manual pages, written from the command tree."""

from collections.abc import Iterable, Iterator

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memory_cli import __version__, errors
from memory_cli.cli.help import summary
from memory_cli.errors import MemoryCliError

ENVIRONMENT = {
    "MEMORY_PROJECT_ROOT": "The project, as --project-root names it.",
    "MEMORY_STORAGE_ROOT": "Where the global memory lives, as --storage-root names it.",
    "MEMORY_CONFIG": "A further file of settings, as --config names it.",
    "MEMORY_REQUIRE_CONFIG": "With 1, no command runs when no file of settings was found.",
    "MEMORY_AGENT": "Who records, unless a command says otherwise.",
    "MEMORY_DEVICE": "The name of this machine in the history.",
    "MEMORY_SYNC_TOKEN": "The token for the remotes of sync, unless the settings name another place.",
    "MEMORY_<SECTION>_<KEY>": "A setting, such as MEMORY_RETRIEVAL_LIMIT; `memory config list` shows all.",
    "NO_COLOR": "Without colours, when set to anything.",
}
ROFF = str.maketrans({"\\": "\\e", "-": "\\-", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})
Page = tuple[TyperCommand | TyperGroup, typer.Context]
Pairs = Iterable[tuple[str, str]]


def pages(app: typer.Typer, program: str) -> dict[str, str]:
    """Return the text of each manual page by its file name: one for the program and one a command."""
    return {f"{_title(ctx)}.1": _page(command, ctx) for command, ctx in walk(app, program)}


def walk(app: typer.Typer, program: str) -> Iterator[Page]:
    """Yield the program and each of its commands that is shown, with its context."""
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    yield from _walk(root, typer.Context(root, info_name=program, **root.context_settings))


def exits() -> list[tuple[int, str]]:
    """Return the exit codes and what they mean, from the errors that carry them."""
    raised = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, MemoryCliError)]
    # One without a code of its own is of the kind that it is derived from.
    own = [each for each in raised if "exit_code" in vars(each)]
    known = {each.exit_code: (each.__doc__ or "").partition("\n")[0] for each in own}
    known[1] += " A bug ends so too, with a traceback."
    return sorted({0: "Done.", **known, 130: "Interrupted."}.items())


def _walk(command: TyperCommand | TyperGroup, ctx: typer.Context) -> Iterator[Page]:
    yield command, ctx
    for name, child in command.commands.items() if isinstance(command, TyperGroup) else ():
        if not child.hidden:
            assert isinstance(child, TyperCommand | TyperGroup)
            yield from _walk(child, typer.Context(child, info_name=name, parent=ctx))


def _title(ctx: typer.Context) -> str:
    return ctx.command_path.replace(" ", "-")


def _page(command: TyperCommand | TyperGroup, ctx: typer.Context) -> str:
    title = _title(ctx)
    parts = [
        f'.TH "{_escape(title.upper())}" 1 "" "memory {__version__}" "User Commands"',
        *_section("NAME", [f"{_escape(title)} \\- {_escape(summary(command).rstrip('.'))}"]),
        *_section("SYNOPSIS", [f".B {_escape(ctx.command_path)}", _escape(_usage(command, ctx))]),
        *_section("DESCRIPTION", _paragraphs((command.help or "").partition("\n")[2])),
        *_section("ARGUMENTS", _terms(_records(command, ctx, "argument"))),
        *_section("OPTIONS", _terms(_records(command, ctx, "option"))),
        *_section("COMMANDS", _commands(command, title)),
        *_section("EXAMPLES", _examples(command.epilog or "")),
        *_section("EXIT STATUS", _terms((str(code), text) for code, text in exits())),
        *_section("ENVIRONMENT", _terms(ENVIRONMENT.items())),
        *_section("SEE ALSO", [_reference("memory")] if ctx.parent else []),
    ]
    return "\n".join(parts) + "\n"


def _usage(command: TyperCommand | TyperGroup, ctx: typer.Context) -> str:
    return " ".join(command.collect_usage_pieces(ctx))


def _section(heading: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [f".SH {heading}", *found] if found else []


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.strip().splitlines():
        yield _escape(line.strip()) if line.strip() else ".PP"


def _records(command: TyperCommand | TyperGroup, ctx: typer.Context, kind: str) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == kind and (record := parameter.get_help_record(ctx)):
            yield record


def _terms(pairs: Pairs) -> Iterator[str]:
    for term, text in pairs:
        yield from (".TP", f"\\fB{_escape(term)}\\fR", _escape(text))


def _commands(command: TyperCommand | TyperGroup, title: str) -> Iterator[str]:
    for name, child in command.commands.items() if isinstance(command, TyperGroup) else ():
        if not child.hidden:
            yield from (".TP", _reference(f"{title}-{name}"), _escape(summary(child)))


def _examples(epilog: str) -> Iterator[str]:
    for line in epilog.splitlines():
        yield from (".PP", ".nf", _escape(line), ".fi")


def _reference(title: str) -> str:
    return f"\\fB{_escape(title)}\\fR(1)"


def _escape(text: str) -> str:
    """Return text so that troff prints it as it stands."""
    text = text.translate(ROFF)
    return "\\&" + text if text.startswith((".", "'")) else text
