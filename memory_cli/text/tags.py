"""Tags that stand in a text: #words and [[topics]]."""

import re

MOST = 20
# A fence or a span of code: what looks like a tag in it is a comment, a colour or an address.
_CODE = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)|`[^`\n]+`", re.DOTALL)
# After a space or a bracket, so in no address; a letter first, so no number of an issue.
_MARKED = re.compile(r"(?:(?<=\s)|(?<=[(\[,;])|^)#([^\W\d_][\w-]{0,63})(?![\w#/])", re.MULTILINE)
_TOPIC = re.compile(r"\[\[([^\[\]|#\n]{1,64})(?:[|#][^\[\]\n]{0,200})?\]\]")
_COLOUR = re.compile(r"[0-9a-fA-F]{6}|[0-9a-fA-F]{3}")


def tags_in(text: str) -> tuple[str, ...]:
    """Return the tags of a text in the order in which they come, each once; at most 20."""
    if "#" not in text and "[[" not in text:
        return ()
    plain = _CODE.sub(" ", text)
    found = [(each.start(), each[1]) for each in _MARKED.finditer(plain) if not _COLOUR.fullmatch(each[1])]
    found += [(each.start(), each[1].strip()) for each in _TOPIC.finditer(plain)]
    names = {name.casefold(): name for _place, name in sorted(found, reverse=True) if name}
    return tuple(reversed(names.values()))[:MOST]
