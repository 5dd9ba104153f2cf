"""What a criterion is: a row of data that says what it is called and worth, for whom it counts,
where evidence is looked for, and what to do where it is missing. Source: docs/readiness.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from stationmaster.readiness.model import Level, Pillar, Scope
from stationmaster.reading.projects.model import Kind

Need = Literal["tree", "history", "hosting", "run"]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One place to look. `says`: the sentence of the verdict, with `{tool}`, `{command}` or
    `{package}` where it names one.

    `tools`: a purpose of the catalogue. `sign`: a kind of sign in code. `files`: globs, below the
    application unless `anywhere`, and `pattern` what one of their lines must hold. `objects`: what
    an object of Kubernetes for the application must hold. `commands` that run, `actions` of
    workflows, `packages` that are depended on. `strong`: a tool that nothing runs does not count.
    `is_weak`: it shows little. `all`: every file is cited.
    """

    says: str = ""
    tools: str = ""
    sign: str = ""
    files: tuple[str, ...] = ()
    any_case: bool = False
    anywhere: bool = False
    pattern: str = ""
    objects: str = ""
    commands: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    strong: bool = False
    is_weak: bool = False
    all: bool = False


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of `criteria/*.toml` under its id.

    `kinds`: applications of any of these kinds are judged, others skipped; None for all. Of a
    repository's criterion some application must be of one. `looks_for` is what counts as evidence,
    `remedy` what to do, each one sentence. `requires` names the criterion that must not have failed
    everywhere. `is_extra`: shown when asked for, counted in no level.

    `evidence`: the first step that shows something decides. Where none does, a function of the same
    id judges, or the criterion fails for the reason `missing`. `only_with`: what an application
    must have to be judged, a name of CONDITIONS. `change`: the file that a fix adds or changes, or
    files by ecosystem, or the id of a criterion that a fix changes the same for.
    """

    id: str
    title: str
    level: Level
    pillar: Pillar
    scope: Scope
    looks_for: str
    remedy: str
    kinds: frozenset[Kind] | None = None
    needs: frozenset[Need] = frozenset({"tree"})
    requires: str | None = None
    is_extra: bool = False
    only_with: str = ""
    evidence: tuple[Step, ...] = ()
    missing: str = ""
    change: str | Mapping[str, str] = ""
