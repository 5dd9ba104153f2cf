"""Secrets that get where they should not be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from stationmaster.agents.shell.programs import base_name
from stationmaster.catalogue.secrets import forms
from stationmaster.catalogue.untrusted import untrusted
from stationmaster.pipelines import commands, expressions
from stationmaster.pipelines.findings import injection
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import SCRIPT_MAX, Step
from stationmaster.pipelines.view import View

_SECRETS = untrusted().secrets
_TOKEN_NAMES = frozenset({"GITHUB_TOKEN", "github_token"})
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@$\"'<{]{1,100}:(?P<word>[^/\s@\"']{3,200})@"
)
_ELSEWHERE = re.compile(r"@(?!127\.)[\w-]{1,63}(?:\.[\w-]{1,63})+")
"""A host with a domain: a service container of the job has none, and its password is no secret."""
_UPLOADS = "actions/upload-artifact@"
_ROOTS = frozenset({".", "./", "*", "**", "./*", "./**", "${{ github.workspace }}"})
_INSECURE = "ACTIONS_ALLOW_UNSECURE_COMMANDS"
_ON = frozenset({"true", "1", "yes"})


def _to_untrusted(view: View) -> Iterator[Hit]:
    for step in view.all_steps:
        for text in (step.script or "", *step.inputs.values(), *step.env.values()):
            if "secrets" in text and (whole := _whole_context(text)) is not None:
                yield at_step(view, step, "every secret is passed to the step", whole)
                break
    if not view.open_triggers:
        return
    for job in view.steps:
        names = sorted(set(view.jobs[job].secrets) - _TOKEN_NAMES) if job in view.jobs else []
        for checkout in injection.checkouts_of(view, job) if names else ():
            run = injection.execution(view, checkout)
            if run is not None and injection.gate_of(view, checkout, run[0]) is None:
                message = f"a job that runs a contributor's code reads {', '.join(names[:3])}"
                yield at_step(view, checkout.step, message, checkout.source)
                break


def _whole_context(text: str) -> str | None:
    for inside in expressions.embedded(text[:SCRIPT_MAX]):
        flows = expressions.of_expression(expressions.parse(inside))
        if any(flow.path == "secrets" and flow.is_whole for flow in flows):
            return "${{" + inside + "}}"
    return None


def _hardcoded(view: View) -> Iterator[Hit]:
    reported: set[tuple[str, str]] = set()
    for step in view.all_steps:
        values: Mapping[str, str] = {"run": step.script or "", **step.env, **step.inputs}
        for name, value in values.items():
            literal = _literal(value[:SCRIPT_MAX])
            # A variable of the workflow is in the environment of every step.
            if literal is not None and (name, literal) not in reported:
                reported.add((name, literal))
                yield at_step(view, step, f"{name} holds {literal}", name)


@lru_cache(maxsize=256)
def _literal(value: str) -> str | None:
    """What kind of secret a text holds, never the secret."""
    for form in forms("sure", "likely"):
        for key in form.all_in(value):
            return f"a {form.kind} that begins with {key[1][:4]}"
    for address in _ADDRESS.finditer(value):
        is_elsewhere = _ELSEWHERE.match(value, address.end() - 1) is not None
        if is_elsewhere and not {"$", "{"} & set(address["word"]):
            return "an address with a password"
    if "login" in value:
        for command in commands.started(value):
            is_known = base_name(command.words[0]) in _SECRETS.logins
            if is_known and "login" in command.words[1:3] and _password(command.words):
                return f"a password for {command.words[0]} login"
    return None


def _password(words: tuple[str, ...]) -> bool:
    for place, word in enumerate(words[:-1]):
        if word in ("-p", "--password"):
            return not words[place + 1].startswith(("$", "-"))
    return any(
        word.startswith("--password=") and not word.startswith("--password=$") for word in words
    )


def _persisted(view: View) -> Iterator[Hit]:
    for steps in view.steps.values():
        for place, step in enumerate(steps):
            if not step.is_checkout:
                continue
            if step.inputs.get("persist-credentials", "").strip().lower() == "false":
                continue
            reader = next(filter(None, map(_reads_folder, steps[place + 1 :])), None)
            if reader is not None:
                message = f"the token remains in the work folder, which {reader}"
                yield at_step(view, step, message, step.uses or "")


def _reads_folder(step: Step) -> str | None:
    if step.agents:
        return f"{step.agents[0]} can read"
    is_upload = (step.uses or "").startswith(_UPLOADS)
    paths = {line.strip() for line in step.inputs.get("path", "").split("\n")}
    return "is uploaded as a whole" if is_upload and _ROOTS & paths else None


def _set(view: View, names: tuple[str, ...], message: str) -> Iterator[Hit]:
    """The first step that has each of these variables switched on."""
    reported: set[str] = set()
    for step in view.all_steps:
        for name in names:
            if name not in reported and step.env.get(name, "").strip().lower() in _ON:
                reported.add(name)
                yield at_step(view, step, message, name)


LOOKS: dict[str, Look] = {
    "secrets-to-untrusted": _to_untrusted,
    "hardcoded-secret": _hardcoded,
    "credential-persisted": _persisted,
    "insecure-commands": lambda view: _set(
        view, (_INSECURE,), "commands in the output of programs can set variables"
    ),
    "debug-enabled": lambda view: _set(
        view, _SECRETS.debug, "the log shows every command that runs, with its values"
    ),
}
