"""A writer that is killed leaves each change whole or absent; `benchmarks.crashes` does the same for longer."""

from itertools import islice

import pytest

from benchmarks import crash_plan, crashes


@pytest.mark.parametrize("operation", crash_plan.OPERATIONS)
def test_a_killed_writer_loses_nothing_that_it_acknowledged(operation, tmp_path):
    delay = crash_plan.OPERATIONS.index(operation) / 80
    assert crashes.round_of(tmp_path, seed=11, delay=delay, only=operation) >= 1


def test_the_model_says_what_a_store_holds_step_by_step(tmp_path):
    (tmp_path / "project" / ".git").mkdir(parents=True)
    for done, (step, _state) in enumerate(islice(crash_plan.plan(3), 80), 1):
        with crashes.opened(tmp_path) as memory:
            crashes.DOING[step.kind](memory, step)
        if done % 20 == 0:
            crashes.check(tmp_path, 3, done, "")
