"""Questions as people and agents put them, each with the statement that answers it."""

import pytest

from benchmarks.stores import opened, roots
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record

FIRST = {
    "GB/s": "the disk reads 20.04 GB/s",
    "20.04": "the disk reads 20.04 GB/s",
    "don't": "we don't retry",
    "C++": "C++ calls foo(bar) slowly",
    "foo(bar)": "C++ calls foo(bar) slowly",
    "@scope/pkg": "package @scope/pkg has status: done",
    "status: done": "package @scope/pkg has status: done",
    "title:x": "the filter is title:x",
    "^x": "the filter is title:x",
    "how long do we keep user sessions cached please": "we cache sessions in Redis for 15 minutes",
    "连接池": "数据库连接池上限是二十",
    "再構築": "検索インデックスを再構築した",
    "배포": "배포는 금요일에 금지",
    "锁": "锁要先拿",
    "登录": "登录要两步",
    "Go": "the server is written in Go",
    "R": "R draws the plots",
    "CI": "CI runs at night",
    "k8": "k8 is the cluster in Oslo",
    "retry count": "set maxRetryCount in http_client.retry_policy for svc-auth-dev",
    "maxRetryCount": "set maxRetryCount in http_client.retry_policy for svc-auth-dev",
    "retry_policy": "set maxRetryCount in http_client.retry_policy for svc-auth-dev",
    "http client": "set maxRetryCount in http_client.retry_policy for svc-auth-dev",
    "svc-auth-dev": "set maxRetryCount in http_client.retry_policy for svc-auth-dev",
    "multi-agent": "the multi-agent planner is slow",
    "multi agent": "the multi-agent planner is slow",
    "multiagent": "the multi-agent planner is slow",
    "cafe\u0301": "le caf\u00e9 ferme",
    "cafe": "le caf\u00e9 ferme",
    "API": "the ＡＰＩ is frozen",
}
PUNCTUATION = [
    '"unclosed',
    "a*",
    "-x",
    "{}",
    "\\",
    "--",
    "%",
    "NEAR(",
    "retry OR",
    "AND",
    "NOT",
    "'",
    "*",
    "(",
    "OR OR",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    roots(folder)
    with opened(folder) as memory:
        for text in dict.fromkeys(FIRST.values()):
            record(memory, text)
    return folder


@pytest.mark.parametrize("words", [True, False], ids=["words", "meaning"])
@pytest.mark.parametrize("query", FIRST)
def test_a_question_finds_its_statement(query, words, place):
    with opened(place) as memory:
        found = [each.text for each in recall(memory, query, words=words).units]
    # Meaning may bring others forward that are about the same, and nothing else.
    assert FIRST[query] in found[: 1 if words else 3]


@pytest.mark.parametrize("query", PUNCTUATION)
def test_no_question_is_syntax(query, place):
    with opened(place) as memory:
        assert recall(memory, query).warning == ""
