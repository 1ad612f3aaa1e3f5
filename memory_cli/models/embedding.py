"""What the operations on embedding models answer."""

from memory_cli.models.frozen import Frozen


class ModelShown(Frozen):
    """One embedding model: what it is, and whether it can be used here.

    `state` is `installed`, `can be installed`, `needs an extra` or `can be pulled`.
    """

    name: str
    state: str
    current: bool = False
    answering: bool = False
    dimension: int = 0
    languages: str = ""
    megabytes: int = 0
    licence: str = ""
    folder: str = ""


class ModelsListed(Frozen):
    """Every embedding model that is known."""

    models: list[ModelShown]


class ModelUsed(Frozen):
    """The model that is the current one now; `units_pending` counts what has no vector of it in this memory."""

    model: str
    before: str
    file: str
    units_pending: int
    note: str = ""


class ModelPlaced(Frozen):
    """A model that was put into the user's folder of models."""

    model: str
    folder: str
    source: str
    bytes: int
    used: ModelUsed | None = None


class ModelRemoved(Frozen):
    """A model that was taken out of the user's folder of models."""

    model: str
    bytes: int


class ModelChecked(Frozen):
    """One model whose files were compared with their hashes; no problem is a good model."""

    name: str
    problems: list[str]


class ModelsVerified(Frozen):
    """The models that were checked."""

    models: list[ModelChecked]

    @property
    def exit_code(self) -> int:
        """What the shell is told: whether a file is not what it should be."""
        return 1 if any(each.problems for each in self.models) else 0
