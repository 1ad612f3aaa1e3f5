"""Which provider makes the vectors, where it is and with what key, found out without asking it."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from zlib import crc32

from memory_cli.embedding.models import DEFAULT_MODEL
from memory_cli.embedding.protocol import ModelUnavailable
from memory_cli.embedding.state import ModelState
from memory_cli.errors import UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.settings.dense import Dense

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST_KEY = 4096


class Service(Frozen):
    """What is known of a provider: where it is, which model it is asked for, and what its key is called."""

    base: str
    model: str
    variable: str


# The addresses and models that their makers name; `openai` is also what speaks like it.
SERVICES = {
    "openai": Service("https://api.openai.com/v1", "text-embedding-3-small", "OPENAI_API_KEY"),
    "voyage": Service("https://api.voyageai.com/v1", "voyage-4", "VOYAGE_API_KEY"),
}


class Provider(Frozen):
    """A service that makes vectors, as the settings want it; the key is in nothing that is printed or stored."""

    name: str
    base: str
    model: str
    dimensions: int
    key: str

    @property
    def id(self) -> str:
        """Name the model and who makes it, as stored with each vector; an address of one's own is told apart."""
        place = "" if self.base == SERVICES[self.name].base else f"{crc32(self.base.encode()):08x}"
        size = str(self.dimensions or "")
        return f"{self.name}/{self.model}" + (f"@{'-'.join(filter(None, (place, size)))}" if place or size else "")

    @property
    def said(self) -> str:
        """Say what is sent where."""
        return f"Statements and questions are sent to {self.base} ({self.name}, {self.model}) to be embedded."


def state(wanted: Dense, environ: Mapping[str, str], *, offline: bool) -> ModelState:
    """Say whether the provider that the settings want can be used; it is not asked."""
    provider = _provider(wanted, "")
    try:
        chosen(wanted, environ, offline=offline)
    except ModelUnavailable as error:
        return ModelState(provider.model, provider.id, False, str(error), None)
    return ModelState(provider.model, provider.id, True, "", None)


def chosen(wanted: Dense, environ: Mapping[str, str], *, offline: bool) -> Provider:
    """Return the provider that the settings want with its key, or say why nothing may be sent to it."""
    provider = _provider(wanted, "")
    if offline:
        raise ModelUnavailable(f"runtime.offline is set, so nothing is sent to {provider.base}.")
    key = _key(wanted, environ)
    if not key and not _is_loopback(provider.base):
        raise ModelUnavailable(
            f"The provider {provider.name} needs a key: set the variable {_variable(wanted)}, or dense.api_key_file."
        )
    return _provider(wanted, key)


def _provider(wanted: Dense, key: str) -> Provider:
    service = SERVICES[wanted.provider]
    model = service.model if wanted.embedding_model == DEFAULT_MODEL else wanted.embedding_model
    return Provider(wanted.provider, _base(wanted.base_url or service.base), model, wanted.dimensions, key)


def _base(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.query or "@" in parts.netloc:
        raise UsageError(f"dense.base_url cannot be {address!r}: it must be like https://host/v1.")
    if parts.scheme == "http" and not _is_loopback(address):
        raise UsageError(
            f"dense.base_url cannot be {address!r}: texts and the key would be sent unencrypted; only an address of "
            "this machine may be http."
        )
    return address.rstrip("/")


def _is_loopback(address: str) -> bool:
    return urlsplit(address).hostname in LOOPBACK


def _variable(wanted: Dense) -> str:
    return wanted.api_key_variable or SERVICES[wanted.provider].variable


def _key(wanted: Dense, environ: Mapping[str, str]) -> str:
    key = _from_file(wanted.api_key_file) if wanted.api_key_file else environ.get(_variable(wanted), "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelUnavailable("The provider's key holds what no key can; nothing was sent.")
    return key


def _from_file(name: str) -> str:
    path = Path(name).expanduser()
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077 and os.name != "nt":
            raise ModelUnavailable(f"Others can read {path}, which holds a key: `chmod 600 {path}` first.")
        with open(path, encoding="utf-8") as file:
            return file.read(LONGEST_KEY).strip()
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The key file {path} cannot be read: {getattr(error, 'strerror', '') or error}."
        ) from error
