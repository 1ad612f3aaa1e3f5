"""A browser view that is served in a thread, for tests."""

import threading
from contextlib import contextmanager

from memory_cli.web.server import prepare


@contextmanager
def serving(session, host="127.0.0.1"):
    """Serve the view of a session while the block runs; yield its address with the token."""
    view = prepare(session, host=host, port=0)
    thread = threading.Thread(target=view.run)
    thread.start()
    try:
        yield view.address
    finally:
        view.server.should_exit = True
        thread.join()
