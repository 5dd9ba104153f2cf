"""The settings that make each agent export its telemetry to a server.

Content is switched off wherever an agent has a switch for it; what it sends all the same the server
leaves out.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from stationmaster.client.server import Server
from stationmaster.client.settings import edits
from stationmaster.client.settings import forms as setting_forms
from stationmaster.client.settings.forms import Content
from stationmaster.errors import BadRequest, did_you_mean
from stationmaster.settings import variable

PURPOSE = "settings"
"""Of the changes of files, which are undone by themselves."""


class SettingsFile(NamedTuple):
    """Settings that an agent reads from a file below the home folder."""

    path: str
    content: Content
    has_key: bool = True
    """Is the server's key among them?"""

    @property
    def text(self) -> str:
        """The settings by themselves, in the form of the file."""
        if self.path.endswith(".json"):
            return json.dumps(self.content, indent=2) + "\n"
        if self.path.endswith(".toml"):
            return setting_forms.toml_of(self.content)
        return setting_forms.variables_of(self.content)


class Recipe(NamedTuple):
    """What one agent needs: settings in files, or variables of its environment."""

    files: tuple[SettingsFile, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})
    remark: str = ""


class Applied(NamedTuple):
    """A file that has the settings now, and what a person should know of its permissions."""

    path: Path
    note: str = ""


def _endpoint(server: Server) -> dict[str, str]:
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": server.url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer {server.key}",
    }


def _claude_code(server: Server) -> Recipe:
    environment = {
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "OTEL_METRICS_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        **_endpoint(server),
        # Names of servers, skills, files and commands; the server keeps counts and names of them.
        "OTEL_LOG_TOOL_DETAILS": "1",
        "OTEL_LOG_USER_PROMPTS": "0",
        "OTEL_LOG_ASSISTANT_RESPONSES": "0",
        "OTEL_LOG_TOOL_CONTENT": "0",
        "OTEL_LOG_RAW_API_BODIES": "0",
    }
    return Recipe((SettingsFile(".claude/settings.json", {"env": environment}),))


def _codex(server: Server) -> Recipe:
    def exporter(signal: str) -> Content:
        target = {
            "endpoint": f"{server.url.rstrip('/')}/v1/{signal}",
            "protocol": "binary",
            "headers": {"Authorization": f"Bearer {server.key}"},
        }
        return {"otlp-http": target}

    otel = {
        "log_user_prompt": False,
        "exporter": exporter("logs"),
        "metrics_exporter": exporter("metrics"),
    }
    return Recipe(
        (SettingsFile(".codex/config.toml", {"otel": otel}),),
        remark="Codex does not send again what a server refused for a moment: run `stationmaster "
        "collect` beside it.",
    )


def _of_gemini_kind(folder: str) -> Callable[[Server], Recipe]:
    def recipe(server: Server) -> Recipe:
        telemetry = {
            "enabled": True,
            "target": "local",
            "otlpProtocol": "http",
            "otlpEndpoint": server.url,
            "logPrompts": False,
        }
        headers = "OTEL_EXPORTER_OTLP_HEADERS"
        return Recipe(
            (
                SettingsFile(f"{folder}/settings.json", {"telemetry": telemetry}, has_key=False),
                SettingsFile(f"{folder}/.env", {headers: _endpoint(server)[headers]}),
            ),
            remark="In a project with a file `.env` of its own the agent may read only that one, "
            f"not ~/{folder}/.env: put {headers} there as well, or into the environment.",
        )

    return recipe


def _copilot_cli(server: Server) -> Recipe:
    return Recipe(
        environment={
            "COPILOT_OTEL_ENABLED": "true",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            **_endpoint(server),
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false",
        }
    )


def _droid(server: Server) -> Recipe:
    return Recipe(
        environment={
            "OTEL_TELEMETRY_ENDPOINT": server.url,
            "OTEL_TELEMETRY_HEADERS": f"Authorization=Bearer {server.key}",
            "OTEL_LOG_MESSAGE_CONTENT": "false",
        },
        remark="It exports no tokens: run `stationmaster collect` beside it.",
    )


RECIPES: dict[str, Callable[[Server], Recipe]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _of_gemini_kind(".gemini"),
    "qwen-code": _of_gemini_kind(".qwen"),
    "copilot-cli": _copilot_cli,
    "droid": _droid,
}


_WITHOUT = {
    "cursor": "Cursor exports nothing; its hooks report what it does: "
    "`stationmaster hooks install cursor`",
    "opencode": "OpenCode's export carries every prompt and has no switch for that; our plugin "
    "carries none: `stationmaster hooks install opencode`",
}


def check(product: str) -> None:
    """Raise BadRequest for an agent that is unknown, or exports nothing that should be taken."""
    if product in _WITHOUT:
        raise BadRequest(_WITHOUT[product], code="no_export")
    if product not in RECIPES:
        known = ", ".join(RECIPES)
        raise BadRequest(
            f"{product!r} has no settings for this; known are {known}."
            f"{did_you_mean(product, RECIPES)}",
            code="no_export",
        )


def recipe_of(product: str, server: Server) -> Recipe:
    """The settings with which an agent exports to `server`. Raises BadRequest as `check` does."""
    check(product)
    return RECIPES[product](server)


def exports(recipe: Recipe) -> str:
    """The lines of a shell that set the environment."""
    return "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in recipe.environment.items()
    )


def apply(recipe: Recipe, home: Path, purpose: str = PURPOSE) -> list[Applied]:
    """Put the settings into the agent's files; done twice, nothing changes.

    Raises OperatorError for a file that cannot be changed safely; then all are as they were.
    """
    paths = [(home / file.path).resolve() for file in recipe.files]
    for file, path in zip(recipe.files, paths, strict=True):
        before = edits.read_without(path, purpose)
        with edits.explained(path):
            setting_forms.of(path).add(before, file.content)
    return [_applied(file, path, purpose) for file, path in zip(recipe.files, paths, strict=True)]


def _applied(file: SettingsFile, path: Path, purpose: str) -> Applied:
    was_open = edits.is_open_to_others(path)
    add = setting_forms.of(path).add
    edits.change(path, purpose, lambda text: add(text, file.content), is_secret=file.has_key)
    if not file.has_key:
        return Applied(path)
    if edits.is_open_to_others(path):
        why = "its file system keeps no permissions"
        return Applied(path, f"Others on this machine may read the key in {path}: {why}.")
    if was_open:
        return Applied(path, f"{path} holds a key now: only its owner may read it from now on.")
    return Applied(path)


def undo(recipe: Recipe, home: Path, purpose: str = PURPOSE) -> list[Path]:
    """Take our settings out of the agent's files, and give those back that nobody else changed.

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
        # What a file of variables lacks may stand in the environment itself.
        lacking = [name for name in lacking if variable(name) != file.content.get(name, "")]
        if lacking:
            missing.append(f"missing or different in {path}: {', '.join(lacking)}")
        if file.has_key and edits.is_open_to_others(path):
            notes.append(f"other users of this machine can read the key in {path}: chmod 600 it")
    paths = ", ".join(str((home / file.path).resolve()) for file in recipe.files)
    return not missing, "; ".join([*(missing or [f"all in {paths}"]), *notes])
