"""What a criterion is: a row of data with its name and worth, for whom it counts,
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
    """One place to look: what shows something, for which applications, and the verdict then.
    `reason`: the sentence; `{tool}`, `{command}`, `{package}` and `{language}` are what was there
    `then`: the verdict
    `is_weak`: what is shown is little

    What shows something, one of these; without any, and without files, the step always holds.
    `tools`: a purpose of the catalogue
        `strong`: a tool that nothing runs does not count
        `is_sure`: one that shows little counts fully
    `dependency`: a purpose of which some package is depended on
        `own`: by the application itself
    `packages`: some of these is depended on
    `commands`: some of these runs
        `pattern`: in what runs it
    `command_text`: a pattern of the catalogue, in any command that is not only documented
    `actions`: of workflows
    `hooks`: of git, as fnmatch
    `sign`: a kind of sign in code
    `objects`: what an object of Kubernetes for the application must hold
    `inherits`: a community file of the owner's defaults
    `hosting`: what the hosting service reports as on
    `unreported`: what the hosting service did not report
    `without`: a name of CONDITIONS that does not hold
    `fences`: a list of languages in the catalogue, one of which a block in documents has

    Or files, below the application.
    `files`: globs
        `any_case`: whatever the case of their letters
        `anywhere`: also outside the application
        `own`: none that belong to another application inside it
        `deployed`: only those that deploy it
    `files_of`: a list of globs in the catalogue
    `but_not`: a pattern of paths that do not count
    `named`: a pattern of the catalogue for their names
    `no_tests`: tests do not count

    What a file must hold.
    `pattern`: in a line
    `text_of`: a pattern of the catalogue, in a line
        `whole`: the file is cited and not the line
    `headings`: a pattern of the catalogue, in a heading
    `keys`: any of these, with a value
    `characters`: so many without markup
    `at_least`: so many files must hold it
    `nearest`: first those nearest the root
    `all`: every file is cited, else the first

    `code`: the function of the criterion's id is called here, and not last
    `languages`, `ecosystem`: only applications that are mostly in one of these, or of this one
    """

    reason: str = ""
    then: Literal["pass", "fail", "skip", "unknown"] = "pass"
    tools: str = ""
    strong: bool = False
    is_sure: bool = False
    dependency: str = ""
    packages: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    command_text: str = ""
    actions: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    sign: str = ""
    objects: str = ""
    inherits: str = ""
    hosting: str = ""
    unreported: str = ""
    without: str = ""
    fences: str = ""
    files: tuple[str, ...] = ()
    files_of: str = ""
    any_case: bool = False
    anywhere: bool = False
    own: bool = False
    deployed: bool = False
    but_not: str = ""
    named: str = ""
    no_tests: bool = False
    pattern: str = ""
    text_of: str = ""
    whole: bool = False
    headings: str = ""
    keys: tuple[str, ...] = ()
    characters: int = 0
    nearest: bool = False
    at_least: int = 1
    all: bool = False
    code: bool = False
    languages: tuple[str, ...] = ()
    ecosystem: str = ""
    is_weak: bool = False


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of `criteria/*.toml` under its id.

    `kinds`: applications of any of these kinds are judged, others skipped; None for all. Of a
    repository's criterion some application must be of one. `looks_for` is what counts as evidence,
    `remedy` what to do, each one sentence. `requires` names the criterion that must have passed
    somewhere. `is_extra`: shown when asked for, counted in no level. `worth`: 0 where it guards
    the product or every change, 2 where it orders the work around it, 1 for all between.

    `evidence`: the first step that shows something decides. Where none does, a function of the same
    id judges, or the criterion fails for the reason `missing`; `unseen` is added to it where the
    hosting service was not asked, and the first file of `near` is cited. `only_with`: what an
    application must have to be judged, a name of CONDITIONS. `change`: the file that a fix adds or
    changes, or files by ecosystem, or the id of a criterion that a fix changes the same for.
    """

    id: str
    title: str
    level: Level
    pillar: Pillar
    scope: Scope
    looks_for: str
    remedy: str
    worth: Literal[0, 1, 2] = 1
    kinds: frozenset[Kind] | None = None
    needs: frozenset[Need] = frozenset({"tree"})
    requires: str | None = None
    is_extra: bool = False
    only_with: str = ""
    evidence: tuple[Step, ...] = ()
    missing: str = ""
    unseen: str = ""
    near: tuple[str, ...] = ()
    change: str | Mapping[str, str] = ""
