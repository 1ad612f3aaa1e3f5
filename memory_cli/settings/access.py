"""The settings of who may write which category."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Acl(Frozen):
    """Who may write which category, where several devices share them; with nothing set this device writes all."""

    device_name: Annotated[
        str,
        Setting(
            "What this device is called in the rules; empty: MEMORY_DEVICE or the host's name.",
            project=False,
            empty_ok=True,
        ),
    ] = ""
    admin_devices: Annotated[
        tuple[str, ...], Setting("The devices that write every category.", project=False, empty_ok=True)
    ] = ()
    device_categories: Annotated[
        tuple[str, ...],
        Setting(
            "The devices that write the categories NAME and workflow_NAME of their own name.",
            project=False,
            empty_ok=True,
        ),
    ] = ()
