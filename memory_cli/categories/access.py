"""Who may write which category."""

from memory_cli.errors import Denied
from memory_cli.settings.access import Acl

AGENT = "-agent"


def require(rules: Acl, name: str, *, device: str, agent: str, bearer: str = "") -> None:
    """Refuse a write that the rules do not let this device or this agent do, and name the line that would.

    Admins write everything; a listed device writes the categories NAME and workflow_NAME; an agent that is called
    foo-agent writes foo_*. Everybody reads. Without any rule there is one device, which writes all. Whoever comes with
    a token is the device, or the agent, that the token is named for.
    """
    if not (rules.admin_devices or rules.device_categories):
        return
    device = bearer or rules.device_name or device
    if device in rules.admin_devices or _is_own(rules, name, device):
        return
    if any(each.endswith(AGENT) and name.startswith(f"{each.removesuffix(AGENT)}_") for each in (device, agent)):
        return
    own = device in rules.device_categories
    rule = f"it writes {device} and workflow_{device}" if own else "acl.admin_devices and acl.device_categories lack it"
    line = f'admin_devices = ["{device}"]' if own or name not in _names(device) else f'device_categories = ["{device}"]'
    raise Denied(
        f"The device {device} may not write the category {name}: {rule}. `{line}` in the section [acl] of your own "
        "config.toml would allow it; everybody reads."
    )


def _is_own(rules: Acl, name: str, device: str) -> bool:
    return device in rules.device_categories and name in _names(device)


def _names(device: str) -> tuple[str, str]:
    return device, f"workflow_{device}"
