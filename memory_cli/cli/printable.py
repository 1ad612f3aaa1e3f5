"""Text made safe to show: what is stored must not drive a terminal."""

import re

# The control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and what turns the direction
# of writing; spaces and joiners of other scripts only show.
DRIVING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, *, keep: str = "") -> str:
    """Return text with the characters that a terminal would obey spelled out."""
    return DRIVING.sub(lambda found: found[0] if found[0] in keep else repr(found[0])[1:-1], text)


def json_safe(document: str) -> str:
    """Return a JSON document that means the same and drives no terminal."""
    return DRIVING.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", document)
