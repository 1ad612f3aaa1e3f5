"""The HTTP API under whatever its own description allows, and much that it does not."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from memory_cli.serve.api.openapi import described
from memory_cli.serve.gate import HEALTH
from memory_cli.sync.asking import PACKED
from tests.http_server import served, stocked, token

CHECKS = [
    not_a_server_error, checks.ignored_auth, checks.response_schema_conformance, checks.status_code_conformance,
    checks.content_type_conformance, checks.response_headers_conformance,
]  # fmt: skip
EXAMPLES = 6


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return stocked(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def bearer(place):
    return {"Authorization": f"Bearer {token(place, 'fuzz')}"}


@pytest.fixture(scope="module")
def server(place, bearer):
    with served(place, "--api") as running:
        yield running


schemathesis.serializer.alias(PACKED, "application/octet-stream")
THERE = [each.ok() for each in schemathesis.openapi.from_dict(described()).get_all_operations()]
# There is nothing about its health that could be asked wrongly.
OPERATIONS = [each for each in THERE if each.path != HEALTH]


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.label)
def test_nothing_that_is_sent_makes_the_server_fail(operation, mode, server, bearer):
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
              phases=[Phase.generate])  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case):
        case.call_and_validate(base_url=server.address, headers=bearer, checks=CHECKS)

    check()
