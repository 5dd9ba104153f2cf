"""What Codex's words mean: tools, approval policies, sandboxes, originators, refusals."""

from __future__ import annotations

import re
from typing import Any

from stationmaster.agents.values import word
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client

PRODUCT = "codex"

WORDS = Words(__file__)
CODE_MODE = "exec"
"""The one tool of code mode: a script whose own calls are recorded each by itself."""

_REFUSED = re.compile(
    r"(?:patch|command|exec command|execution|request|tool call|edit)\b[^\n]{0,40}"
    r"\b(?:rejected|denied|declined|blocked|not permitted)\b"
    r"|\brejected by (?:user|policy)|\bblocked by (?:policy|[\w-]+ sandbox)"
    r"|\bdeclined by (?:user|policy)|\bapproval (?:denied|required)\b",
    re.IGNORECASE | re.ASCII,
)
_EXIT = re.compile(r"(?:Process exited with code|Exit code:)\s*(-?\d{1,10})", re.ASCII)
_EXIT_OLD = re.compile(r'"exit_code"\s*:\s*(-?\d{1,10})', re.ASCII)
_ABORTED = "aborted by user"
_HEAD = 400


def client_of(*names: str | None) -> tuple[Client | None, str | None]:
    """(client, surface) of the first known of a session's source, originator or service name."""
    for name in names:
        if name in WORDS.clients:
            return WORDS.clients[name]
    for name in names:
        if name and name.lower().startswith(("jetbrains", "intellij", "xcode")):
            return "terminal-ui", "ide"
    return None, None


def autonomy(
    approval: str | None, sandbox: str | None, reviewer: str | None, mode: str | None
) -> Autonomy | None:
    """The level of an approval policy in a sandbox; None when it is unknown."""
    if mode == "plan":
        return "spec"
    if reviewer not in (None, "none", "user"):
        return "auto-medium"
    if sandbox == "read-only" or approval == "untrusted":
        return "manual"
    if sandbox in ("danger-full-access", "external-sandbox"):
        if approval in ("never", "on-failure"):
            return "auto-high"
        return "auto-medium" if approval in ("on-request", "granular") else None
    if sandbox == "workspace-write":
        if approval in ("never", "on-failure"):
            return "auto-medium"
        return "auto-low" if approval in ("on-request", "granular") else None
    return None


def policy(value: Any) -> str | None:
    """An approval policy's name; a policy that is an object is a granular one."""
    if isinstance(value, dict):
        return "granular"
    return word(value)


def sandbox(policy_value: Any, profile: Any) -> str | None:
    """A sandbox's name from its policy (old or new form), else from the permission profile."""
    if isinstance(policy_value, str):
        return word(policy_value)
    if isinstance(policy_value, dict):
        return word(policy_value.get("type") or policy_value.get("mode"))
    if not isinstance(profile, dict):
        return None
    if profile.get("type") == "disabled":
        return "danger-full-access"
    files = profile.get("file_system")
    entries = files.get("entries") if isinstance(files, dict) else None
    writes = isinstance(entries, list) and any(
        isinstance(entry, dict) and entry.get("access") == "write" for entry in entries
    )
    return "workspace-write" if writes else "read-only"


def is_refusal(output: str) -> bool:
    """Does a failed call's output show that policy, sandbox or person refused it?"""
    return _REFUSED.search(output[:_HEAD]) is not None


def is_aborted(output: str) -> bool:
    """Does a call's output show that a person cancelled it, while it ran or before?"""
    return output.startswith(_ABORTED)


def asks_for_all(policy_and_sandbox: str | None) -> bool:
    """Does a person have to allow every call under this approval policy?"""
    return policy_and_sandbox is not None and policy_and_sandbox.startswith("untrusted")


def exit_code(output: str) -> int | None:
    """The exit code that a command's output names in its head or its metadata."""
    match = _EXIT.search(output[:_HEAD]) or (
        _EXIT_OLD.search(output[-_HEAD:]) if output.startswith("{") else None
    )
    return int(match.group(1)) if match else None
