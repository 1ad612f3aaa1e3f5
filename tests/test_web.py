import hashlib
import http.client
import json
import re
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from memory_cli.errors import NotFound, Refused
from memory_cli.memory import open_memory
from memory_cli.operations.forget import forget
from memory_cli.operations.record import record
from memory_cli.operations.show import show
from memory_cli.operations.update import update
from memory_cli.web import app
from tests.web import serving

STATIC = Path(app.__file__).parent / "static"
ODD = "<script>alert(1)</script> \x1b[31m \u202e & \x07 'end'"
GETS = ("overview", "statements", "statements?query=tea", "statement?id=green", "handoff", "history", "health",
        "markdown?scope=local")  # fmt: skip


@pytest.fixture
def address(session):
    with open_memory(session) as memory:
        for text, id in (("green tea", "green"), (ODD, "odd")):
            record(memory, text, id=id)
    with serving(session) as address:
        yield address


@pytest.fixture
def client(address):
    """A client that opened the printed address, as a browser does."""
    with httpx2.Client(base_url=address.partition("?")[0], follow_redirects=True) as client:
        assert client.get(address).status_code == 200
        yield client


def version(client, id):
    return client.get("/api/statement", params={"id": id}).json()["version"]


def state(folder):
    """Return what the files of the stores hold, but for the log's bookkeeping in shared memory."""
    found = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in found if path.stat().st_size}


def test_without_the_token_nothing_is_shown(address):
    for path in ("/", "/api/statements", "/app.js", "/?token=", "/?token=wrong", "/nowhere"):
        answer = httpx2.get(address.partition("/?")[0] + path)
        assert answer.status_code == 401 and "memory ui" in answer.text, path
        assert "set-cookie" not in answer.headers


STRANGERS = (
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Host": "evil.example:80@127.0.0.1"}, 421),
    ({"Host": ""}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1:1"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
)


def test_a_stranger_is_refused_even_with_the_cookie(client):
    for headers, status in STRANGERS:
        given = {"Content-Type": "application/json"} | headers
        read = client.get("/api/statements", headers=headers)
        written = client.post("/api/record", content='{"text": "evil"}', headers=given)
        assert (read.status_code, written.status_code) == (status, status), headers
        assert "tea" not in read.text
    assert client.get("/api/overview").json()["stats"]["total"] == 2


def test_a_cookie_that_is_empty_wrong_or_broken_is_none(address):
    where = urlsplit(address)
    for cookie in ("", f"memory_{where.port}=", f"memory_{where.port}=x", f"memory_{where.port}=\xe9", "=;\x01;,"):
        asked = http.client.HTTPConnection(where.hostname, where.port)
        asked.request("GET", "/api/statements", headers={"Cookie": cookie})
        assert asked.getresponse().status == 401
        asked.close()


def test_what_others_put_into_the_jar_does_not_lock_the_page_out(client):
    (own,) = client.cookies.items()
    told = 'a={"b": 1}; c d=e; =; f="; ' + "=".join(own)
    assert httpx2.get(client.base_url.join("/api/overview"), headers={"Cookie": told}).status_code == 200


def test_the_token_is_exchanged_for_a_cookie_that_only_this_page_sends(address):
    answer = httpx2.get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    told = answer.headers["set-cookie"]
    assert "HttpOnly" in told and "samesite=strict" in told.casefold() and "domain" not in told.casefold()
    assert parse_qs(urlsplit(address).query)["token"][0] not in told


STATUSES = {"/": 200, "/api/statements": 200, "/nowhere": 404, "/api/record": 405, "/api/statement?id=none": 404,
            "/?token=x": 401}  # fmt: skip


def test_every_answer_is_sealed(client):
    for path, status in STATUSES.items():
        answer = client.get(path)
        told = [answer.headers[name] for name in ("cache-control", "x-content-type-options", "x-frame-options")]
        assert (answer.status_code, told) == (status, ["no-store", "nosniff", "DENY"]), path
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'") and "unsafe" not in policy
        assert "server" not in answer.headers and "access-control-allow-origin" not in answer.headers


def test_the_page_fetches_its_own_files_alone_and_makes_no_markup(client):
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", text), path.name
        if path.name != "index.html":
            assert client.get(f"/{path.name}").text == path.read_text(encoding="utf-8")
    page = client.get("/").text
    assert "<style" not in page and not re.search(r"<script(?! type=\"module\" src=)| style=| on\w+=", page)


def test_reading_changes_no_file(client, tmp_path):
    client.get("/api/statements?query=tea")
    before = state(tmp_path)
    for path in GETS:
        assert client.get(f"/api/{path}").status_code in (200, 404), path
    assert state(tmp_path) == before
    assert "recalls" not in client.get("/api/statement?id=green").json()["unit"]


def test_what_cannot_be_meant_is_refused(client):
    far = "s?offset=9999999999999"
    for asked in ("s?scope=x", "s?sort=x", "s?offset=-1", "s?kind=", "s?since=never", "?id=", far):
        answer = client.get(f"/api/statement{asked}")
        assert answer.status_code == 400 and answer.json()["error"].endswith("."), asked


def test_a_write_is_json_or_nothing(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = client.post("/api/record", content=b'{"text": "x"}', headers={"Content-Type": kind})
        assert answer.status_code == 415, kind
    assert client.get("/api/overview").json()["stats"]["total"] == 2


BODIES = (
    ("record", b"{", 400), ("record", b"[]", 400), ("record", b"{}", 400), ("record", b"[" * 100_000, 400),
    ("record", b'{"text": 1}', 400), ("record", b'{"text": "x", "meta": {}}', 400),
    ("record", b'{"text": "a\\u0000b"}', 400),
    ("record", b'{"text": "x", "tag": "y"}', 400), ("record", b'{"text": "x", "scope": "z"}', 400),
    ("update", b'{"id": "green", "text": "x"}', 400), ("forget", b'{"id": "green"}', 400),
    ("undo", b"{}", 400), ("undo", b'{"change": "local:99"}', 404),
    ("forget", b'{"id": "nope", "if_version": "x"}', 404),
    ("record", b'{"text": "' + b"x" * app.LARGEST + b'"}', 413),
)  # fmt: skip


def test_a_body_is_taken_as_it_is_meant_or_refused(client):
    for name, body, status in BODIES:
        answer = client.post(f"/api/{name}", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == status and answer.json()["error"].endswith("."), body[:40]
    assert client.get("/api/overview").json()["stats"]["total"] == 2


def test_text_comes_as_it_is_stored(client):
    units = client.get("/api/statements").json()["units"]
    assert [each["text"] for each in units] == [ODD, "green tea"]
    assert client.get("/api/statement?id=odd").json()["unit"]["text"] == ODD


def test_a_search_is_a_recall_that_explains_itself(client):
    (found,) = client.get("/api/statements?query=TEA").json()["units"]
    assert found["id"] == "green" and found["explain"]["words"] > 0
    nothing = client.get("/api/statements?query=purple+elephants&kind=RULE").json()
    assert nothing["units"] == [] and nothing["hint"]


def test_pages_show_each_statement_once(client, session):
    with open_memory(session) as memory:
        for number in range(120):
            record(memory, f"statement {number}", scope="global" if number % 3 else "local")
    seen, offset = [], 0
    while True:
        page = client.get("/api/statements", params={"offset": offset}).json()
        assert len(page["units"]) <= 50 and page["total"] == 122
        seen += [each["id"] for each in page["units"]]
        if not (offset := page.get("next", 0)):
            break
    assert len(seen) == len(set(seen)) == 122


def test_a_long_text_is_cut_in_the_list_and_whole_by_itself(client, session):
    with open_memory(session) as memory:
        record(memory, "word " * 20_000, id="long")
    listed = client.get("/api/statements").json()["units"][0]
    assert listed["cut"] and len(listed["text"]) < 1000
    assert len(client.get("/api/statement?id=long").json()["unit"]["text"]) > 90_000


def test_a_save_over_a_change_made_meanwhile_is_refused_with_both(client, session):
    mine = version(client, "green")
    with open_memory(session) as memory:
        update(memory, "green", "black tea")
    answer = client.post("/api/update", json={"id": "green", "if_version": mine, "text": "white tea"})
    assert answer.status_code == 409
    assert answer.json()["current"]["unit"]["text"] == "black tea"
    assert client.post("/api/forget", json={"id": "green", "if_version": mine}).status_code == 409
    newer = answer.json()["current"]["version"]
    saved = client.post("/api/update", json={"id": "green", "if_version": newer, "text": "white tea"}).json()
    assert saved["version"] == version(client, "green") != newer


def test_of_two_saves_from_one_version_only_one_is_kept(session):
    with open_memory(session) as memory:
        record(memory, "green tea", id="green")
        seen = show(memory, "green").version
    done = []

    def save(text):
        try:
            with open_memory(session) as memory:
                update(memory, "green", text, if_version=seen)
            done.append(text)
        except Refused:
            pass

    threads = [threading.Thread(target=save, args=(f"tea {number}",)) for number in range(8)]
    for each in (*threads, *threads):
        each.start() if each.ident is None else each.join()
    with open_memory(session) as memory:
        assert [show(memory, "green").unit.text] == done


def test_being_recalled_is_no_change_and_a_change_back_is_one(memory, session):
    memory("record", "green tea", "--id", "green")
    with open_memory(session) as opened:
        seen = show(opened, "green").version
        memory("recall", "tea")
        assert show(opened, "green").version == seen
        update(opened, "green", kind="fact")
    with open_memory(session) as opened:
        update(opened, "green", kind="item")
        assert show(opened, "green").version != seen


def test_a_version_guards_the_command_line_too(memory, session):
    memory("record", "green tea", "--id", "green")
    assert memory("update", "green", "black tea", "--if-version", "0").exit_code == 5
    assert memory("forget", "--id", "green", "--if-version", "0").exit_code == 5
    assert memory("forget", "green tea", "--if-version", "0").exit_code == 2
    seen = json.loads(memory("show", "green", "-o", "json").stdout)["version"]
    assert memory("update", "green", "black tea", "--if-version", seen).exit_code == 0
    with open_memory(session) as opened, pytest.raises(Refused):
        forget(opened, id=["green"], if_version=seen)


def test_what_is_forgotten_is_brought_back(client):
    assert client.post("/api/forget", json={"id": "odd", "if_version": version(client, "odd")}).json()["forgotten"] == 1
    assert client.get("/api/statement?id=odd").status_code == 404
    change = client.get("/api/history?id=odd").json()["changes"][0]
    assert change["operation"] == "forget" and change["agent"] == "ui"
    assert client.post("/api/undo", json={"change": change["change"]}).status_code == 200
    assert client.get("/api/statement?id=odd").json()["unit"]["text"] == ODD


def test_a_record_keeps_secrets_out_and_says_where_it_came_from(client):
    said = client.post("/api/record", json={"text": "key ghp_" + "a1B2" * 9, "kind": "fact", "tag": ["x"]}).json()
    unit = client.get("/api/statement", params={"id": said["id"]}).json()["unit"]
    assert said["redacted"] and "ghp_" not in unit["text"]
    assert (unit["kind"], unit["tags"], unit["sources"]) == ("FACT", ["x"], ["ui"])


def test_a_handoff_is_set_once_and_then_changed_as_a_statement(client):
    assert client.get("/api/handoff").json() == {"project": True}
    assert client.post("/api/handoff", json={"text": "go on"}).status_code == 200
    again = client.post("/api/handoff", json={"text": "stop"})
    assert again.status_code == 409 and again.json()["current"]["unit"]["text"] == "go on"
    found = client.get("/api/handoff").json()["shown"]
    given = {"id": found["unit"]["id"], "if_version": found["version"], "text": "stop"}
    assert client.post("/api/update", json=given).status_code == 200


def test_the_markdown_is_the_export(client, memory, tmp_path):
    shown = client.get("/api/markdown?scope=local").json()
    memory("export", "--to", str(tmp_path / "out"), "--scope", "local")
    assert shown["text"] == (tmp_path / "out/local/MEMORY.md").read_text(encoding="utf-8")
    assert shown["statements"] == 2 and client.get("/api/markdown?scope=global").status_code == 404


def test_health_says_what_doctor_says(client, tmp_path):
    assert client.get("/api/health").json()["diagnosis"]["findings"] == []
    (tmp_path / "project/.memory-rag/memory.sqlite3").chmod(0o644)
    found = client.get("/api/health").json()["diagnosis"]["findings"]
    assert "its mode is 644" in found[0]["problem"] and "mended" not in found[0]


def test_a_bug_is_told_without_its_traceback(client, monkeypatch, caplog, session):
    monkeypatch.setitem(app.READS, "bug", lambda memory, asked: 1 / 0)
    with serving(session) as address, httpx2.Client(base_url=address.partition("?")[0], follow_redirects=True) as asked:
        asked.get(address)
        answer = asked.get("/api/bug")
    assert answer.status_code == 500 and "ZeroDivision" not in answer.text
    assert "ZeroDivisionError" in caplog.text


def test_what_was_forgotten_meanwhile_is_not_found(session):
    with open_memory(session) as memory:
        record(memory, "green tea", id="green")
        forget(memory, id=["green"])
        with pytest.raises(NotFound):
            update(memory, "green", "black tea", if_version="0")
