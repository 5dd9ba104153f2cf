"""What is told of an agent step's inputs, and which kind of work they are for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stationmaster.pipelines.agents.recognition import REVIEWERS
from stationmaster.pipelines.model import Template, line

INPUTS_MAX = 50
HIDDEN = "***"
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth(?!or)")
_EXPRESSION = re.compile(r"\$\{\{[^}]*\}\}|\$[A-Za-z_]\w*|\$\{\w+\}|true|false")
_SECRET_TEXT = re.compile(
    r"\b(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abps]|fk|key|AKIA|AIza|eyJ)[-_A-Za-z0-9.]{16,}"
    r"|\b(?=[A-Za-z+]*[0-9])[A-Za-z0-9+]{32,}\b|://[^/\s:@]*:[^/\s@]+@"
)
"""What secrets look like: known beginnings, long words, passwords in addresses."""

_WORDS: tuple[tuple[Template, str], ...] = (
    ("security-audit", r"security"),
    ("incident-response", r"incident"),
    ("triage", r"triage"),
    ("wiki", r"wiki"),
    ("qa", r"\bqa\b|quality[ -]assurance"),
    ("code-review", r"review"),
)
_SWITCHES: tuple[tuple[Template, str], ...] = (
    ("code-review", "automatic_review"),
    ("security-audit", "automatic_security_review"),
)


def told(given: Mapping[str, str]) -> dict[str, str]:
    """Inputs as they may be answered: on one line, cut short, and nothing that may be a secret.

    An expression such as `${{ secrets.NAME }}` names a secret and stays.
    """
    return {line(name): _value(name, value) for name, value in list(given.items())[:INPUTS_MAX]}


def template(
    path: str, name: str | None, agents: Sequence[str], given: Mapping[str, str] | None
) -> Template | None:
    """The published kind of an agent workflow, by its agent's switches, else by its names."""
    if not agents:
        return None
    for kind, switch in _SWITCHES:
        if (given or {}).get(switch, "").lower() == "true":
            return kind
    names = re.sub(r"[_./-]+", " ", f"{path.rpartition('/')[2]} {name or ''}").lower()
    for kind, words in _WORDS:
        if re.search(words, names):
            return kind
    return "code-review" if REVIEWERS & set(agents) else None


def without_user(location: str) -> str:
    """An address without the name and password that may stand in it, and without its query."""
    return re.sub(r"(?<=://)[^/@]*@", "", location).partition("?")[0]


def _value(name: str, value: str) -> str:
    if _EXPRESSION.fullmatch(value.strip()):
        return value.strip()
    if _SECRET_NAME.search(name) or _SECRET_TEXT.search(value):
        return HIDDEN
    return line(value)
