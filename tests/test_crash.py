"""A writer that is killed leaves each change whole or absent; `benchmarks.crashes` does the same for longer."""

import pytest

from benchmarks import crashes


@pytest.mark.parametrize("operation", crashes.OPERATIONS)
def test_a_killed_writer_loses_nothing_that_it_acknowledged(operation, tmp_path):
    delay = crashes.OPERATIONS.index(operation) / 40
    assert crashes.round_of(tmp_path, seed=11, delay=delay, only=operation) >= 1
