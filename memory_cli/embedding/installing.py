"""Putting a model into the user's folder of models, out of a package that is installed."""

from pathlib import Path

from memory_cli.embedding import folders
from memory_cli.embedding.models import KnownModel
from memory_cli.embedding.protocol import ModelUnavailable
from memory_cli.embedding.state import verify_sources
from memory_cli.private import write_private


def install(model: KnownModel) -> folders.Manifest:
    """Convert the weights that a package holds, and keep the result where it is loaded from."""
    source = verify_sources(model)
    # numpy takes a tenth of a second, and only this needs it.
    from memory_cli.embedding.use_m3 import converted

    with folders.staged(model.name) as folder:
        for name, content in converted(source).items():
            write_private(folder / name, content)
        _compare(model, folder)
        return folders.put_manifest(folder, model.name, model.requirement)


def _compare(model: KnownModel, folder: Path) -> None:
    for wanted in (model.weights, model.tokenizer):
        made = folders.pinned(folder / wanted.name)
        if made != wanted:
            raise ModelUnavailable(
                f"The conversion of {model.name} made a {wanted.name} with SHA-256 {made.sha256}, which should be "
                f"{wanted.sha256}: nothing was installed. This is a fault of memory; please report it."
            )
