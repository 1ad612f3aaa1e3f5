"""The arguments of a request, from its body or its address."""

import json
from typing import Any, NoReturn

from starlette.exceptions import HTTPException
from starlette.requests import Request

from memory_cli.sync.asking import PACKED

JSON = "application/json"
BODY = "The arguments of a POST are one JSON object in its body"


async def given(request: Request, largest: int) -> dict[str, Any]:
    """Return the arguments as they were given, or raise what HTTP says of such a request."""
    if request.method == "POST":
        if request.url.query:
            raise HTTPException(422, f"{BODY}; its address takes none.")
        return await _posted(request, largest)
    query = request.query_params
    # What is given several times is a list, and what is given once is what the argument makes of it.
    return {name: values if len(values := query.getlist(name)) > 1 else values[0] for name in query}


async def body_of(request: Request, largest: int) -> bytes:
    """Return the whole body, unless it is larger than is taken; a length that lies is found out."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > largest:
            raise HTTPException(413, f"That is more than {largest} bytes, which is more than is taken here.")
    return bytes(body)


async def packed(request: Request, largest: int) -> bytes:
    """Return a body that is packed, and no less."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind != PACKED:
        raise HTTPException(415, f"What is imported is the envelope of an export, with `Content-Type: {PACKED}`.")
    return await body_of(request, largest)


async def _posted(request: Request, largest: int) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    body = await body_of(request, largest)
    if not body and kind in ("", JSON):
        return {}
    if kind != JSON:
        raise HTTPException(415, f"{BODY}, with `Content-Type: {JSON}`.")
    try:
        said = json.loads(body.decode("utf-8"), parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"The body cannot be read as JSON: {error}.") from error
    if not isinstance(said, dict):
        raise HTTPException(422, f"{BODY}, and this is something else.")
    return said


def _no_json(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
