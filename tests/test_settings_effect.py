"""Every setting does something: what it is looked at in differs between its default and another value."""

import sqlite3
import subprocess
from functools import cache, partial

import pytest
from typer.testing import CliRunner

from benchmarks.stores import Letters, opened, roots
from memory_cli.cli.app import app
from memory_cli.embedding import HUB, remote
from memory_cli.embedding.folders import sha256
from memory_cli.errors import Busy, MemoryCliError
from memory_cli.memory import LOCAL
from memory_cli.models.statement import Filters
from memory_cli.operations.category.write import write
from memory_cli.operations.context import context
from memory_cli.operations.index import index
from memory_cli.operations.link import link
from memory_cli.operations.links import links
from memory_cli.operations.list_ import list_
from memory_cli.operations.models import pull
from memory_cli.operations.pending import embed_batches, pending
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.retrieval.search import search
from memory_cli.settings import KEYS
from tests.provider import providing
from tests.rerankers import build
from tests.sync_effects import asked_for, contested, exchanged, taken_in

STATEMENTS = (
    ("anna", "The cache is warmed before the release."),
    ("ben", "Is the cache warmed before every release?"),
    ("ben", "Yes, by the nightly job, and nobody has to look after it."),
    ("carl", "set maxRetryCount in http_client.retry_policy"),
    ("carl", "the retry count of the client is three, max"),
    ("dora", "The user prefers dark mode."),
    ("dora", "The user prefers the dark mode."),
    ("dora", "Dark, dark, dark: the cellar has no lamp, and the stairs are steep; mind the last step, it is loose."),
    ("emil", "キャッシュは毎晩 cache 温める"),
    ("emil", "a queue of trucks"),
    *(("bulk", f"common filler queue number {number}") for number in range(60)),
)
QUESTIONS = (
    "what did anna say of the cache", "is the cache warmed", "maxRetryCount", "dark mode", "dark",
    "theme of the editor", "キャッシュ", "common filler queue number", "who warms it", "purple elephant lamp return",
    "lorry", "毎晩 寝る 前 薬 飲む 水",
)  # fmt: skip


class Counting(Letters):
    """Counts the batches that it is asked to embed."""

    calls = 0

    def embed(self, texts, *, batch_size=16):
        self.calls += -(-len(texts) // batch_size)
        return super().embed(texts, batch_size=batch_size)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    roots(folder)
    with opened(folder) as memory:
        for number, (agent, text) in enumerate(STATEMENTS):
            record(memory, text, agent=agent, at=f"2026-11-30T{number // 60:02}:{number % 60:02}:00Z")
        reindex(memory)
    return folder


@cache
def answers(folder, *assignments):
    with opened(folder, assignments=assignments) as memory:
        embedder, _ = memory.embedder()
        return [
            (hit.statement.text, hit.score)
            for question in QUESTIONS
            for model, limit in ((embedder, 10), (None, 99))
            for hit in search(memory.stores(), question, Filters(now=memory.now), settings=memory.settings,
                              embedder=model, why_not="", limit=limit).hits
        ]  # fmt: skip


def recalled(folder, *assignments):
    with opened(folder, assignments=assignments) as memory:
        return [each.text for each in recall(memory, "common filler", words=True).units]


def preferred(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        record(memory, "The old cache was flushed nightly.", at="2024-05-02", kind="RULE", source="notes")
        record(memory, "The new cache was flushed weekly.", at="2025-05-02", tag=("ops",))
        (first,) = list_(memory, kind=("RULE",)).units
        record(memory, "The rules of the ops team: tea at four.", at="2026-05-02")
        link(memory, list_(memory, tag=("ops",)).units[0].id, first.id, type="supersedes")
        found = recall(memory, "ops rules of May 2024 on how the old cache was flushed", words=True)
        return [(unit.text, unit.score) for unit in found.units]


def indexed(folder, *assignments):
    roots(folder)
    (folder / "notes.md").write_text("Tea is green.\n\n" * 40, encoding="utf-8")
    with opened(folder, assignments=assignments) as memory:
        done = index(memory, [str(folder / "notes.md")])
        return done.new, len(done.failed)


def begun(folder, *assignments):
    with opened(folder, assignments=assignments) as memory:
        return [each.text for each in context(memory).units]


def stored(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        record(memory, "the password=Xk29dkeE3-ab of plain-4711")
        return list_(memory).units[0].text


def refused(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        try:
            return record(memory, "green tea").scope
        except MemoryCliError as error:
            return str(error)


def pragmas(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        store = memory.store(LOCAL)
        with store.transaction():
            names = ("journal_mode", "synchronous", "busy_timeout")
            return [store.db.execute(f"pragma {name}").fetchone()[0] for name in names]


def locked(folder, *assignments):
    roots(folder)
    with opened(folder) as memory:
        other = sqlite3.connect(memory.store(LOCAL).path, isolation_level=None)
    other.execute("begin immediate")
    with (
        pytest.raises(Busy) as caught,
        opened(folder, assignments=["storage.lock_deadline_ms=1", *assignments]) as memory,
    ):
        record(memory, "tea")
    other.close()
    return str(caught.value).removeprefix(str(folder))


def waiting(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        record(memory, "tea")
        recall(memory, "tea")
        return pending(memory)


def batches(folder, *assignments):
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        for number in range(5):
            record(memory, f"tea {number}")
        counting = Counting()
        embed_batches(memory, memory.store(LOCAL), counting, most=5)
        return counting.calls


def threads(folder, *assignments):
    with opened(folder, assignments=assignments) as memory:
        embedder, _ = memory.embedder()
        return embedder._engine.model.model.get_session_options().intra_op_num_threads


def pulled(folder, *assignments):
    # Neither address leads anywhere, so nothing is fetched whatever becomes of the settings.
    nowhere = ("runtime.model_endpoint=nowhere://one", *assignments)
    with opened(folder, assignments=nowhere) as memory, pytest.raises(MemoryCliError) as caught:
        pull(memory, next(iter(HUB)))
    return str(caught.value)


def sent(folder, *assignments):
    """Return what a provider is asked by a recall, and whether it had a part in the answer."""
    keys = {"HOME": str(folder), "OPENAI_API_KEY": "one", "VOYAGE_API_KEY": "one", "OTHER_KEY": "two"}
    remote._made.clear()
    roots(folder)
    with providing() as provider:
        chosen = ("dense.provider=openai", f"dense.base_url={provider.address}", *assignments)
        with opened(folder, assignments=chosen, environ=keys) as memory:
            for text in ("tea", "coffee"):
                record(memory, text)
            answer = recall(memory, "tea")
        asked = [(path, headers["Authorization"], body) for path, headers, body in provider.asked]
    return repr(asked), answer.semantic_available


def linked(folder, *assignments):
    """Return how many links come by themselves."""
    roots(folder)
    with opened(folder, assignments=assignments) as memory:
        for number, text in enumerate(("a common queue #one", "a common quay #one", "common queues here #one"), 1):
            record(memory, text, id=f"n{number}")
        embed_batches(memory, memory.store(LOCAL), Letters(), most=100)
        return sorted((each.type, each.from_id, each.to_id) for each in links(memory, "n2").links)


def allowed(folder, *assignments, admin="bench"):
    """Return which of some categories may be written."""
    roots(folder)
    done = []
    rules = (f"acl.admin_devices={admin}", "acl.device_categories=other", *assignments)
    with opened(folder, assignments=rules) as memory:
        for name in ("base", "other", "bench"):
            try:
                write(memory, name, data={})
                done.append(name)
            except MemoryCliError:
                continue
        return done, [each.category for each in context(memory).categories]


def heard(folder, *assignments):
    """Return what the server over HTTP answers to several at once, to one by another name, and to a long one."""
    import asyncio

    import httpx2

    from memory_cli.memory import make_session
    from memory_cli.serve.http import make_app

    session = make_session(
        project_root=folder, storage_root=folder, assignments=assignments, environ={"HOME": str(folder)}, cwd=folder,
        source="mcp",
    )  # fmt: skip

    async def ask():
        app = make_app(session, host="127.0.0.1", called=print)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            together = await asyncio.gather(*(client.get("/health") for _ in range(3)))
            named = await client.get("/health", headers={"Host": "box"})
            long = await client.post("/nowhere", content=b"x" * 2000)
        return [each.status_code for each in (*together, named, long)]

    return asyncio.run(ask())


def left(folder, *assignments):
    started = []
    settings = [each for assignment in assignments for each in ("--set", assignment)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", lambda command, **how: started.append(command))
        CliRunner().invoke(app, [*roots(folder), *settings, "recall", "tea"], prog_name="memory")
    return len(started)


def model(folder, *assignments):
    with opened(folder, assignments=assignments) as memory:
        return memory.embedder()[1]


def reranked(folder, *assignments):
    place, given = folder / "reranker", dict(each.split("=") for each in assignments)
    hash_ = build(place) if not place.exists() else sha256(place / "model.onnx")
    known = {"dense.reranker_model": place, "dense.reranker_sha256": hash_} | given
    with opened(folder, assignments=[f"{key}={value}" for key, value in known.items()]) as memory:
        answer = recall(memory, "common filler")
        return answer.reranked, answer.rerank


EFFECTS = {
    "storage.lock_deadline_ms": (0, locked),
    "storage.busy_timeout_ms": (7, pragmas),
    "storage.journal_mode": ("delete", pragmas),
    "storage.synchronous": ("full", pragmas),
    "record.max_characters": (5, refused),
    "redact.enabled": ("no", stored),
    "redact.allow": ("Xk29dkeE3-ab", stored),
    "redact.patterns": ("plain-[0-9]+", stored),
    "dense.embedding_model": ("of-another-day", model),
    "dense.provider": ("voyage", sent),
    "dense.base_url": ("http://127.0.0.1:9/v1", sent),
    "dense.dimensions": (256, sent),
    "dense.api_key_variable": ("OTHER_KEY", sent),
    "dense.api_key_file": ("/nowhere", sent),
    "dense.request_texts": (1, sent),
    "dense.request_characters": (2, sent),
    "dense.request_ms": (1, sent),
    "dense.query_ms": (1, sent),
    "dense.reranker_model": ("of-another-day", reranked),
    "dense.reranker_sha256": ("0", reranked),
    "runtime.embed_in_recall": (0, waiting),
    "runtime.threads": (2, threads),
    "runtime.batch": (2, batches),
    "runtime.helper": (600, left),
    "runtime.offline": ("yes", pulled),
    "runtime.model_endpoint": ("nowhere://two", pulled),
    "runtime.http_max_bytes": (1000, heard),
    "runtime.http_concurrency": (1, heard),
    "runtime.http_hosts": ("box", heard),
    "retrieval.budget": (50, recalled),
    "retrieval.limit": (3, recalled),
    "retrieval.pool_depth": (1, answers),
    "retrieval.rerank_depth": (2, reranked),
    "retrieval.rerank_ms": (0, reranked),
    "retrieval.match_budget": (100, answers),
    "retrieval.duplicate_cosine": (1, answers),
    "retrieval.bm25_weight": (3, answers),
    "retrieval.dense_weight": (3, answers),
    "retrieval.bm25_k1": (3, answers),
    "retrieval.bm25_b": (1, answers),
    "retrieval.identifier_weight": (9, answers),
    "retrieval.agent_weight": (0, answers),
    "retrieval.time_weight": (0, preferred),
    "retrieval.tag_weight": (0, preferred),
    "retrieval.kind_weight": (0, preferred),
    "retrieval.kind_weights": ("RULE=3", preferred),
    "retrieval.source_weights": ("notes=3", preferred),
    "retrieval.superseded_weight": (0.9, preferred),
    "retrieval.neighbour_weight": (0, answers),
    "retrieval.neighbour_minutes": (0, answers),
    "retrieval.question_penalty": (0.9, answers),
    "retrieval.answer_weight": (9, answers),
    "retrieval.floor": (0, answers),
    "retrieval.floor_words": (1, answers),
    "retrieval.floor_meaning": (9, answers),
    "retrieval.floor_alone": (0, answers),
    "retrieval.floor_statements": (10_000_000, answers),
    "retrieval.least_meaning": (1, answers),
    "retrieval.relative_margin": (0.9, answers),
    "retrieval.latin_share": (0, answers),
    "context.budget": (60, begun),
    "index.chunk_characters": (200, indexed),
    "index.max_bytes": (10, indexed),
    "context.categories": ("base", allowed),
    "acl.device_name": ("other", allowed),
    "acl.admin_devices": ("somebody", allowed),
    "acl.device_categories": ("bench", partial(allowed, admin="nobody")),
    "sync.remotes": ("other=http://127.0.0.1:9", asked_for),
    "sync.token_variable": ("OTHER_TOKEN", asked_for),
    "sync.token_file": ("/nowhere", asked_for),
    "sync.conflict_strategy": ("remote_wins", contested),
    "sync.max_bytes": (10_000, taken_in),
    "sync.batch_items": (1, exchanged),
    "sync.timeout_ms": (100, exchanged),
    "links.similar": (0, linked),
    "links.threshold": (1.0, linked),
    "links.tag": (1, linked),
}
OVER_THE_CORPUS = (answers, reranked, recalled, begun, threads, model, pulled, left, heard)


def test_every_setting_is_tried():
    assert set(EFFECTS) == set(KEYS)


@pytest.mark.parametrize("key", EFFECTS)
def test_a_setting_does_something(key, corpus, tmp_path):
    value, look = EFFECTS[key]
    first, second = (corpus, corpus) if look in OVER_THE_CORPUS else (tmp_path / "one", tmp_path / "two")
    assert look(first) != look(second, f"{key}={value}")
