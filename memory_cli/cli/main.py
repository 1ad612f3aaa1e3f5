"""Where the program starts: UTF-8 whatever the locale, then the commands."""

import sys

from memory_cli import __version__
from memory_cli.cli import streams


def main() -> None:
    """Run the program on the arguments of this process."""
    streams.use_utf8()
    arguments = streams.arguments()
    if arguments in (["--version"], ["-V"]):
        # Importing typer takes four times as long as all the rest of this answer.
        print(f"memory {__version__}")
        return
    try:
        from memory_cli.cli.app import app

        app(args=arguments, prog_name="memory")
    except KeyboardInterrupt:
        # Typer's own answer to it, for what runs outside of a command.
        sys.exit(130)
