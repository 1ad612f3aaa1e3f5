"""The tokens of an account: a private file of names and hashes, for HTTP and for sync alike."""

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from memory_cli.errors import MemoryCliError, NotFound, Refused
from memory_cli.locks import locked
from memory_cli.models.tokens import Token
from memory_cli.private import make_folders, write_private
from memory_cli.projects import Roots

PREFIX = "mem_"
SHORTEST = 32
LARGEST = 4 << 20
DEADLINE_MS = 5000


def tokens(roots: Roots) -> list[Token]:
    """Return every token of the account, in the order in which they were made."""
    path = _path(roots)
    try:
        with open(path, "rb") as file:
            said = json.loads(file.read(LARGEST))
        return [
            Token(str(each["name"]), str(each["sha256"]), tuple(each["scopes"]), tuple(each["tools"]), each["made_at"])
            for each in said["tokens"]
        ]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise MemoryCliError(f"{path} is damaged ({error!r}); remove it and make the tokens anew.") from error


def add(roots: Roots, name: str, scopes: Sequence[str], tools: Sequence[str], made_at: str) -> str:
    """Make a token and return its secret, which is kept nowhere."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with _changing(roots) as there:
        if any(each.name == name for each in there):
            raise Refused(f"There is a token {name} already; `memory token revoke {name}` comes first.")
        there.append(Token(name, _hash(secret), tuple(scopes), tuple(tools), made_at))
    return secret


def revoke(roots: Roots, name: str) -> None:
    """Take a token away; whoever comes with it from now on is refused."""
    with _changing(roots) as there:
        kept = [each for each in there if each.name != name]
        if len(kept) == len(there):
            names = ", ".join(each.name for each in there) or "none"
            raise NotFound(f"There is no token {name}; there is {names}.")
        there[:] = kept


def admitted(roots: Roots, secret: str) -> Token | None:
    """Return the token that a secret is of, comparing every one in the same time."""
    given = _hash(secret)
    found = None
    for each in tokens(roots):
        if secrets.compare_digest(each.sha256, given):
            found = each
    return found if len(secret) >= SHORTEST else None


@contextmanager
def _changing(roots: Roots) -> Iterator[list[Token]]:
    path = _path(roots)
    make_folders(path.parent)
    with locked(path.parent, DEADLINE_MS, f"Another process is changing {path}; try again."):
        there = tokens(roots)
        yield there
        rows = [
            {"name": each.name, "sha256": each.sha256, "scopes": each.scopes, "tools": each.tools,
             "made_at": each.made_at}
            for each in there
        ]  # fmt: skip
        write_private(path, json.dumps({"tokens": rows}, indent=2))


def _path(roots: Roots) -> Path:
    return roots.global_store.parent / "tokens.json"


def _hash(secret: str) -> str:
    # A secret of 256 random bits needs no slow hash.
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
