"""Posting JSON to a service and reading its answer."""

import json
from typing import Any

from memory_cli.wire import Failed, exchange

__all__ = ["Failed", "post"]


def post(url: str, body: Any, *, key: str, seconds: float) -> Any:
    """Post body as JSON and return the answer's, trying again within so many seconds in all."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        return json.loads(exchange(url, json.dumps(body).encode(), headers, seconds=seconds))
    except ValueError as error:
        raise Failed("its answer is no JSON") from error
