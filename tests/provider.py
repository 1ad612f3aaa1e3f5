"""A server that speaks like a provider of vectors, with the packaged model behind it, and misbehaves when told."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from memory_cli.embedding import DEFAULT_MODEL, loaded


class Provider(BaseHTTPRequestHandler):
    """Answers as it should, unless the next of the server's `moods` says otherwise."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        moods = self.server.moods
        mood = moods.pop(0) if moods else self.server.mood
        if isinstance(mood, int):
            self.answer(mood, b"{}")
        elif mood == "moved":
            self.answer(307, b"", Location="http://127.0.0.1:9/elsewhere")
        elif mood == "slow":
            time.sleep(2)
            self.answer(200, b"{}")
        elif mood == "short":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"{}")
        elif mood == "broken":
            self.answer(200, b'{"data": [{"ind')
        else:
            self.answer(200, json.dumps(self.vectors(body["input"], mood)).encode())

    def vectors(self, texts, mood):
        rows = loaded(DEFAULT_MODEL).embed(texts).tolist()
        if mood == "narrow":
            rows = [row[:100] for row in rows]
        if mood == "fewer":
            rows = rows[:-1]
        if mood == "zero":
            rows = [[0.0] * len(row) for row in rows]
        # In any order: the index tells.
        return {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)][::-1]}

    def answer(self, code, content, **headers):
        self.send_response(code)
        for name, value in {"Content-Length": str(len(content)), "Retry-After": "0", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """Keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Provider)
        self.asked, self.moods, self.mood = [], [], ""

    def handle_error(self, request, address):
        """Say nothing of a client that did not wait for a slow answer."""

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def texts(self):
        return [text for _path, _headers, body in self.asked for text in body["input"]]


@contextmanager
def providing():
    """Serve until the block ends."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
