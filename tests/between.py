"""A server that stands between two devices that sync, and misbehaves when told."""

import json
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.http_server import asked


class Between(BaseHTTPRequestHandler):
    """Stands where the hub should be: passes on what comes until it breaks, or answers oddly."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server = self.server
        if self.path.startswith("/elsewhere"):
            server.elsewhere.append(self.path)
        if server.mood:
            return self.oddly(server.mood)
        time.sleep(server.delay)
        server.passed += 1
        if server.passed > server.fails_after:
            return self.connection.close()
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type")}
        status, told, raw = asked(server.hub, self.path, "POST", body, **headers)
        return self.answer(status, raw, **{"Content-Type": told["content-type"]})

    def oddly(self, mood):
        digest = {"device": "0" * 16, "name": "odd", "root": "0" * 64, "buckets": {"00": "0" * 64}}
        rows = {"rows": [{"family": "category", "key": "base", "hash": "0" * 64, "vector": {"../x": 1}}]}
        if mood == "moved":
            return self.answer(307, b"", Location=f"{self.server.address}/elsewhere")
        said = {
            "nonsense": b"<html>", "list": b"[]", "endless": b"[" + b"0," * 100_000,
            "huge number": b'{"device": 1' + b"0" * 5000, "bad vector": json.dumps({**digest, **rows}).encode(),
        }  # fmt: skip
        return self.answer(200, said[mood])

    def answer(self, code, content, **headers):
        self.send_response(code)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Broken(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Say nothing of what this server does on purpose."""


@contextmanager
def between(hub, *, fails_after=1_000_000, mood="", delay=0.0):
    """Stand before a hub; yield the server, which counts what it passed on."""
    server = Broken(("127.0.0.1", 0), Between)
    server.hub, server.fails_after, server.mood, server.delay = hub, fails_after, mood, delay
    server.passed, server.elsewhere = 0, []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
