"""The settings that make each agent export its telemetry to a server.

Content is switched off where an agent has a switch for it; what it sends nevertheless the server
leaves out.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.agents.cards.settings import Recipe, SettingsFile
from stationmaster.client.server import Server
from stationmaster.client.settings import edits, forms as setting_forms
from stationmaster.settings import variable

PURPOSE = "settings"
"""Of the changes of files, which are undone by themselves."""


class WrittenSettings(NamedTuple):
    """A file that has the settings now, and what a person should know of its permissions."""

    path: Path
    note: str = ""


def products() -> list[str]:
    """The agents that have settings for this."""
    return cards.with_part("telemetry")


def recipe_of(product: str, server: Server) -> Recipe:
    """The settings with which an agent exports to `server`. Raises BadRequest for an agent that is
    unknown, or exports nothing that should be taken."""
    missing = f"{product!r} has no settings for this"
    card = cards.with_part_of(product, "telemetry", missing, "no_export")
    return card.recipe(server.url, server.key)


def text_of(file: SettingsFile) -> str:
    """Settings by themselves, in the form of the file."""
    if file.path.endswith(".json"):
        return json.dumps(file.content, indent=2) + "\n"
    if file.path.endswith(".toml"):
        return setting_forms.toml_of(file.content)
    return setting_forms.variables_of(file.content)


def exports(recipe: Recipe) -> str:
    """The lines of a shell that set the environment."""
    return "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in recipe.environment.items()
    )


def apply(recipe: Recipe, home: Path, purpose: str = PURPOSE) -> list[WrittenSettings]:
    """Put the settings into the agent's files; done twice, nothing changes.

    Raises OperatorError for a file that cannot be changed safely; then all are as they were.
    """
    paths = [(home / file.path).resolve() for file in recipe.files]
    for file, path in zip(recipe.files, paths, strict=True):
        before = edits.read_without(path, purpose)
        with edits.explained(path):
            setting_forms.of(path).add(before, file.content)
    return [_applied(file, path, purpose) for file, path in zip(recipe.files, paths, strict=True)]


def _applied(file: SettingsFile, path: Path, purpose: str) -> WrittenSettings:
    was_open = edits.is_open_to_others(path)
    add = setting_forms.of(path).add
    edits.change(path, purpose, lambda text: add(text, file.content), is_secret=file.has_key)
    if not file.has_key:
        return WrittenSettings(path)
    if edits.is_open_to_others(path):
        why = "its file system keeps no permissions"
        return WrittenSettings(path, f"Others on this machine may read the key in {path}: {why}.")
    if was_open:
        return WrittenSettings(
            path, f"{path} now contains a key: from now on only its owner can read it."
        )
    return WrittenSettings(path)


def undo(recipe: Recipe, home: Path, purpose: str = PURPOSE) -> list[Path]:
    """Take our settings out of the agent's files, and give those back that were not changed since.

    Returns the files that had some. Raises OperatorError for a file that cannot be read any more.
    """
    paths = [(home / file.path).resolve() for file in recipe.files]
    return [path for path in paths if edits.undo(path, purpose)]


def standing(recipe: Recipe, home: Path) -> tuple[bool | None, str]:
    """Are the settings where the agent reads them? None for an environment that is not ours to
    see. In words, too. Raises OperatorError for a file that cannot be read."""
    unset = [name for name, value in recipe.environment.items() if variable(name) != value]
    if not recipe.files:
        text = f"not in this shell's environment: {', '.join(unset)}" if unset else "all set"
        return (None if unset else True), text
    missing, notes = [], []
    for file in recipe.files:
        path = (home / file.path).resolve()
        with edits.explained(path):
            lacking = sorted(setting_forms.of(path).lacking(edits.read(path), file.content))
        # What a file of variables lacks may be in the environment itself.
        lacking = [name for name in lacking if variable(name) != file.content.get(name, "")]
        if lacking:
            missing.append(f"missing or different in {path}: {', '.join(lacking)}")
        if file.has_key and edits.is_open_to_others(path):
            notes.append(f"other users of this machine can read the key in {path}: chmod 600 it")
    paths = ", ".join(str((home / file.path).resolve()) for file in recipe.files)
    return not missing, "; ".join([*(missing or [f"all in {paths}"]), *notes])


_OTLP = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS")


def recorded_by(product: str, server: Server, home: Path) -> dict[str, str]:
    """Its variables by name; none for an agent that takes none, and where the machine has settings
    of its own.

    An agent named by its owner is taken for one that reads OpenTelemetry's own variables only if it
    has the name of one that does.
    """
    card = cards.find(product)
    if card is None or card.recorded is None:
        return {}
    environment = card.environment(server.url, server.key)
    recipe = recipe_of(product, server)
    is_own = any(variable(name) for name in (*environment, *_OTLP))
    return (
        {} if is_own or any(_has(home / f.path, f.content) for f in recipe.files) else environment
    )


def _has(path: Path, content: Mapping[str, Any]) -> bool:
    """Whether a file of an agent has any of these settings, with whatever values; a file that
    cannot be read has."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError):
        return True
    if path.suffix != ".json":
        return any(name in text for name in content)
    try:
        stored = msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError:
        return True
    return any(
        set(value).intersection({*(stored.get(name) or ())}) for name, value in content.items()
    )
