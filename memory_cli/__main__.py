"""Run the command line as `python -m memory_cli`."""

from memory_cli.cli.main import main

if __name__ == "__main__":
    main()
