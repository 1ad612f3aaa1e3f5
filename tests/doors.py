"""One way to call an operation through each of the doors: the command line and the MCP server."""

import inspect
import json

from memory_cli.surface import OPERATIONS

BY_NAME = {each.command: each for each in OPERATIONS}


def by_command_line(memory, command, given):
    """Call an operation as a command; return whether it was done, and the document that it answers."""
    done = memory(*_argv(BY_NAME[command], given), "-o", "json")
    assert not isinstance(done.exception, Exception), done.exception
    return done.exit_code == 0, json.loads(done.stdout) if done.stdout else done.stderr


async def by_client(agent, command, given):
    """Call an operation as a tool; return whether it was done, and the document that it answers."""
    done = await agent.call_tool(BY_NAME[command].tool, given)
    return not done.is_error, done.content[0].text if done.is_error else done.structured_content


def _argv(operation, given):
    yield from operation.command.split()
    for each in operation.parameters():
        value = given.get(each.name)
        if value is None:
            continue
        flag = operation.flags.get(each.name, (f"--{each.name.replace('_', '-')}",))[-1]
        if each.kind is not inspect.Parameter.KEYWORD_ONLY:
            yield str(value)
        elif isinstance(value, bool):
            yield flag if value else flag.replace("--", "--no-", 1)
        elif isinstance(value, dict):
            yield from (f"{flag}-json", json.dumps(value))
        else:
            yield from (part for one in (value if isinstance(value, list) else [value]) for part in (flag, str(one)))


def put(category, name, data, *options, **kwargs):
    """Write a category on the command line."""
    return category("write", name, json.dumps(data), *options, **kwargs)
