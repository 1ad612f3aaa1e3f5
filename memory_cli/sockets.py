"""A port of this machine to listen on, or the sentence that says why it cannot be had."""

import errno
import os
import socket

from memory_cli.errors import MemoryCliError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def listening(host: str, port: int, option: str) -> socket.socket:
    """Take a port, any that is free for 0; `option` is what chooses another one when it is taken."""
    # With its protocol named: only then asyncio sends what is small at once, and an answer does not wait 40 ms.
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A port that was in use a moment ago may be taken again at once; on Windows this would share one in use.
        if os.name != "nt":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen()
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise MemoryCliError(f"Port {port} of {host} is taken; name another one with {option}.") from error
        raise MemoryCliError(f"Port {port} of {host} cannot be had: {error.strerror}.") from error
    return made
