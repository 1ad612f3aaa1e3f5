"""Where the program starts: UTF-8 whatever the locale, then the commands."""

import gc
import sys

from memory_cli import __version__
from memory_cli.cli import streams


def main() -> None:
    """Run the program on the arguments of this process."""
    try:
        _run()
    except KeyboardInterrupt:
        # Typer's own answer to it, for what runs outside of a command.
        sys.exit(130)


def _run() -> None:
    streams.use_utf8()
    arguments = streams.arguments()
    if arguments in (["--version"], ["-V"]):
        # Importing typer takes four times as long as all the rest of this answer.
        print(f"memory {__version__}")
        return
    # What is imported stays for good: to look for garbage in it, now and at the end, takes a tenth of a start.
    gc.disable()
    from memory_cli.cli.app import app

    gc.freeze()
    gc.enable()
    app(args=arguments, prog_name="memory")
