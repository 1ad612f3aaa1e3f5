"""How many processors this process may use."""

import os


def processors() -> int:
    """Count them; a container may be given fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
