"""The other side of a sync, at an address."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from memory_cli.errors import Busy, MemoryCliError, Refused, UsageError
from memory_cli.models.sync import Digest, Row, Taken, Told
from memory_cli.sync import asking
from memory_cli.sync.checking import checked_row
from memory_cli.sync.envelope import TooMuch
from memory_cli.sync.exchange import Wanted
from memory_cli.wire import Failed, exchange

T = TypeVar("T")

# What another try may mend; a step that was done already is done again to no effect.
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
TRIES = 3
# So much of a remote's own sentence is passed on.
SHOWN = 300
REMEDIES = {
    401: "It does not take the token: `memory token add NAME` makes one there.",
    403: "The token does not reach that far there.",
    404: "There is no API: it is served by `memory serve --http --api` of this version.",
    413: "It takes less: raise runtime.http_max_bytes or sync.max_bytes there.",
    421: "It does not answer to that name: its runtime.http_hosts must hold it.",
}


class HttpPeer:
    """A remote; nothing is sent before a step is asked for, and nothing to any other address."""

    def __init__(self, name: str, address: str, secret: str, scope: str, *, timeout_ms: int, most: int) -> None:
        if not secret.isascii() or not secret.isprintable():
            raise UsageError("The token for the remotes holds what no token does; nothing was sent.")
        self.name, self._address, self._secret, self._scope = name, address, secret, scope
        self._seconds, self._most = timeout_ms / 1000, most

    def digest(self) -> Digest:
        """Return the whole in short."""
        return self._understood(self._asked(asking.DIGEST, {}), _digest)

    def rows(self, buckets: Sequence[str]) -> list[Row]:
        """Return the rows of some buckets, or of all."""
        raw = self._asked(asking.ROWS, {"buckets": list(buckets)})
        return self._understood(raw, lambda said: [checked_row(each) for each in said["rows"]])

    def export(self, wanted: Wanted) -> bytes:
        """Return an envelope with what is wanted, as far as it is there."""
        return self._asked(asking.EXPORT, {"items": [asking.item(*each) for each in wanted]})

    def take(self, raw: bytes) -> Taken:
        """Let the remote take in what an envelope holds."""
        return self._understood(self._sent(f"{asking.IMPORT}?scope={self._scope}", raw, asking.PACKED), _taken)

    def _asked(self, step: str, given: dict[str, Any]) -> bytes:
        body = json.dumps({**given, "scope": self._scope}).encode()
        return self._sent(step, body, "application/json")

    def _sent(self, step: str, body: bytes, kind: str) -> bytes:
        url = f"{self._address}{asking.PREFIX}/{step}"
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": kind}
        try:
            return exchange(
                url, body, headers, seconds=self._seconds, most=self._most, again=AGAIN, tries=TRIES
            )  # fmt: skip
        except Failed as error:
            raise self._failure(error) from error

    def _failure(self, error: Failed) -> MemoryCliError:
        kind = {401: Refused, 403: Refused, 413: TooMuch, 503: Busy}.get(error.status, MemoryCliError)
        did = "said" if error.status else "cannot be reached:"
        words = [f"The remote {self.name} at {self._address} {did} {error}.", _sentence(error.said)]
        return kind(" ".join(each for each in (*words, REMEDIES.get(error.status, "")) if each))

    def _understood(self, raw: bytes, read: Callable[[Any], T]) -> T:
        try:
            return read(json.loads(raw))
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError, UsageError) as error:
            raise MemoryCliError(
                f"The remote {self.name} at {self._address} answered what is no step of a sync; nothing was taken."
            ) from error


def _digest(said: Any) -> Digest:
    device, name, root, buckets = (said[each] for each in ("device", "name", "root", "buckets"))
    return Digest(_text(device), _text(name), _text(root), {_text(key): _text(each) for key, each in buckets.items()})


def _taken(said: Any) -> Taken:
    applied, merged, unchanged = (int(said.get(each, 0)) for each in ("applied", "merged", "unchanged"))
    conflicts, refused = ([_told(one) for one in said.get(each, [])] for each in ("conflicts", "refused"))
    return Taken(applied, merged, unchanged, conflicts, refused)


def _told(said: Any) -> Told:
    return Told(*(_text(said[part]) for part in ("family", "key", "why")))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _sentence(said: bytes) -> str:
    """Return what a remote says of its failure, if it does, as one line."""
    try:
        found = json.loads(said)["error"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    text = "".join(each if each.isprintable() else " " for each in str(found))
    return text[:SHOWN]
