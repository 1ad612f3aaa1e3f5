"""Fetching a model from a hub: only on explicit wish, within bounds, and with the hashes of what came kept."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from memory_cli import __version__
from memory_cli.embedding import folders
from memory_cli.embedding.calibration import measured
from memory_cli.embedding.models import HubModel
from memory_cli.embedding.packaged import open_model
from memory_cli.embedding.protocol import ModelUnavailable
from memory_cli.embedding.state import fetched
from memory_cli.errors import UsageError

Report = Callable[[int, int], None]

TIMEOUT = 60
CHUNK = 1 << 18
MEGABYTE = 1_000_000
# A vocabulary of 250,000 pieces takes 17 MB.
MOST_OF_A_SMALL_FILE = 64 * MEGABYTE
CONFIGURATION = "tokenizer_config.json"
NEEDED = ("tokenizer.json", CONFIGURATION)
OPTIONAL = ("config.json", "special_tokens_map.json")


def pull(model: HubModel, endpoint: str, report: Report) -> folders.Manifest:
    """Fetch a model from the hub at endpoint, try it, measure it, and keep it; a failure leaves nothing behind."""
    base = _base(endpoint or _usual_endpoint())
    source = f"{base}/{model.repository}/resolve/main"
    most = int(model.megabytes * 1.5 * MEGABYTE) + MOST_OF_A_SMALL_FILE
    with folders.staged(model.name) as folder:
        for name in (*NEEDED, *OPTIONAL):
            _fetch(f"{source}/{name}", folder / name, MOST_OF_A_SMALL_FILE, optional=name in OPTIONAL)
        weights = folder / Path(model.weights_file).name
        revision = _fetch(f"{source}/{quote(model.weights_file)}", weights, most, report, model.megabytes * MEGABYTE)
        _limit_length(folder / CONFIGURATION, model.max_tokens)
        kept = folders.put_manifest(folder, model.name, source, revision)
        scale = measured(open_model(fetched(model, kept), folder=folder))
        return folders.put_manifest(folder, model.name, source, revision, scale)


def _base(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("https", "http") or not parts.netloc:
        raise UsageError(f"runtime.model_endpoint cannot be {endpoint!r}: it must begin with https:// or http://.")
    return endpoint.rstrip("/")


def _usual_endpoint() -> str:
    # fastembed's own library knows the hub, and a mirror that its variable names.
    from huggingface_hub.constants import ENDPOINT

    return str(ENDPOINT)


def _fetch(
    url: str, file: Path, most: int, report: Report | None = None, expected: int = 0, *, optional: bool = False
) -> str:
    """Fetch one file of at most so many bytes and return the revision that the hub names."""
    asked = urllib.request.Request(url, headers={"User-Agent": f"memory-cli/{__version__}"})  # noqa: S310 - see _base
    try:
        with urllib.request.build_opener(_Careful).open(asked, timeout=TIMEOUT) as answer:
            _save(answer, file, most, report or (lambda done, total: None), expected)
            return str(answer.headers.get("X-Repo-Commit") or "")
    except urllib.error.HTTPError as error:
        error.close()
        if optional and error.code == 404:
            return ""
        raise _unreachable(url, f"{error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise _unreachable(url, str(getattr(error, "reason", "") or error)) from error


def _save(answer: IO[bytes], file: Path, most: int, report: Report, expected: int) -> None:
    said = getattr(answer, "length", None)
    total, done = said or expected, 0
    with folders.open_new(file) as out:
        while chunk := answer.read(CHUNK):
            done += len(chunk)
            if done > most:
                raise ModelUnavailable(f"{file.name} is larger than {most:,} bytes, far more than it should be.")
            out.write(chunk)
            report(done, max(total, done))
    if said is not None and done != said:
        raise ModelUnavailable(f"{file.name} came cut short, {done:,} of {said:,} bytes; try again.")


def _unreachable(url: str, reason: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{url} cannot be fetched: {reason}. Try again, or name a mirror with the setting runtime.model_endpoint."
    )


def _limit_length(file: Path, most: int) -> None:
    """Cut texts where the model's authors do; what the hub says may be any number."""
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        said["model_max_length"] = most
        said.pop("max_length", None)
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelUnavailable(f"{file.name} is not what it should be: {error}.") from error
    file.write_text(json.dumps(said), encoding="utf-8")


class _Careful(urllib.request.HTTPRedirectHandler):
    """Follows a redirection, but never from an encrypted connection to an open one."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """Return the request that follows."""
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise urllib.error.URLError(f"it leads to {newurl}, which is not encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
