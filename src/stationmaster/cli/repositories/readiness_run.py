"""What `readiness PATH` does, apart from its options: judging, printing, writing, gating."""

from __future__ import annotations

import difflib
import re
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stationmaster.children import calling, limits
from stationmaster.cli.announcing import announce
from stationmaster.cli.configuring import check_file, configure
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, MissingExtra, NotFound
from stationmaster.readiness import forges
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.difference import Gate, between, failures
from stationmaster.readiness.forms import summary, texts
from stationmaster.readiness.judging import child
from stationmaster.readiness.model import Report
from stationmaster.repos import targets

if TYPE_CHECKING:
    from stationmaster.readiness.criterion import Criterion
    from stationmaster.settings import Settings

_LEVEL = re.compile(r"(?:level=)?([1-5])")


def run(
    target: str | None = None,
    data_dir: Path | None = None,
    org: str | None = None,
    url: str | None = None,
    key: str | None = None,
    ref: str | None = None,
    as_of: str | None = None,
    explain: str | None = None,
    brief: bool = False,
    extras: bool = False,
    fail_under: str | None = None,
    require: str | None = None,
    no_worse_than: str | None = None,
    html: Path | None = None,
    md: Path | None = None,
    badge: Path | None = None,
    upload: bool = False,
    json: bool = False,
) -> None:
    """Evaluate a repository and print its report, as the options of `readiness` define."""
    criterion = None if explain is None else _criterion(explain)
    if target is None:
        if criterion is None:
            raise BadRequest("name a repository: a folder or an address", code="usage")
        _show(criterion, None)
        return
    settings = _configured(data_dir)
    for option, file in (("--html", html), ("--md", md), ("--badge", badge)):
        check_file(option, file)
    announce(target)
    gate = _gate(fail_under, require)
    with_extras = extras or criterion is not None or any(map(_is_extra, gate.required))
    made = _evaluated(settings, target, ref, as_of, with_extras)
    if no_worse_than is not None:
        gate = gate._replace(base=_base(settings, target, no_worse_than, made, with_extras))
    if upload:
        from stationmaster.cli.options import Connection
        from stationmaster.cli.repositories import readiness_stored

        readiness_stored.store(Connection(data_dir, org, url, key).api(), _sent(made))
    _print(made, criterion, json=json, brief=brief)
    _write(made, gate, html=html, md=md, badge=badge)
    _conclude(made, gate)


def _configured(data_dir: Path | None) -> Settings:
    """The settings. Raises MissingExtra where what reads repositories is not installed, which only
    the child process would notice."""
    if find_spec("tree_sitter") is None:
        raise MissingExtra("this command", "server", "tree_sitter")
    return configure(data_dir)


def _print(made: Report, criterion: Criterion | None, *, json: bool, brief: bool) -> None:
    if json:
        output.as_json(summary.document(made))
    elif brief:
        sys.stdout.write(texts.brief(made))
    else:
        _show(criterion, made)


def _show(criterion: Criterion | None, made: Report | None) -> None:
    # Its library of text in colours takes as long to load as a small repository to judge.
    from stationmaster.cli.printing import readiness_shown

    if criterion is not None:
        readiness_shown.explained(output.console(), criterion, made)
    elif made is not None:
        readiness_shown.report(output.console(), made)


def _write(
    made: Report, gate: Gate, *, html: Path | None, md: Path | None, badge: Path | None
) -> None:
    """Write the files that were asked for."""
    if badge is not None:
        badge.write_text(texts.badge_of(made))
    if html is not None:
        html.write_text(texts.html(made), encoding="utf-8")
    if md is not None:
        changed = None if gate.base is None else between(gate.base, made)
        md.write_text(texts.report(made, changed), encoding="utf-8")


def _conclude(made: Report, gate: Gate) -> None:
    """Exit with 1 where the report does not hold what is asked."""
    missing = failures(gate, made)
    for reason in missing:
        output.remark(reason)
    if missing:
        sys.exit(1)


def _gate(fail_under: str | None, require: str | None) -> Gate:
    """What the options ask. Raises BadRequest."""
    level = None
    if fail_under is not None:
        matched = _LEVEL.fullmatch(fail_under)
        if matched is None:
            raise BadRequest(
                f"--fail-under takes a level from 1 to 5, not {fail_under}; "
                "criteria are for --require",
                code="usage",
            )
        level = int(matched[1])
    names = [name.strip() for name in (require or "").split(",") if name.strip()]
    return Gate(level, tuple(_criterion(name).id for name in names))


def _base(settings: Settings, target: str, branch: str, made: Report, with_extras: bool) -> Report:
    """The report on a branch, or on what its remote `origin` has of that name, judged at the same
    instant."""
    as_of = None if made.as_of is None else datetime.fromtimestamp(made.as_of / 1000, UTC)
    instant = None if as_of is None else as_of.isoformat()
    try:
        return _evaluated(settings, target, branch, instant, with_extras)
    except NotFound:
        remote = f"refs/remotes/origin/{branch.removeprefix('origin/')}"
        try:
            return _evaluated(settings, target, remote, instant, with_extras)
        except NotFound as fault:
            raise NotFound(
                f"--no-worse-than: there is no branch or tag {branch}, here or at origin; fetch it",
                code="no_ref",
            ) from fault


def _is_extra(name: str) -> bool:
    return _criterion(name).is_extra


def _criterion(name: str) -> Criterion:
    if name not in CRITERIA:
        near = difflib.get_close_matches(name, CRITERIA, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BadRequest(f"there is no criterion {name}{hint}", code="unknown_criterion")
    return CRITERIA[name]


def _evaluated(
    settings: Settings, target: str, ref: str | None, as_of: str | None, with_extras: bool
) -> Report:
    with targets.opened(target, settings, ref=ref) as snapshot:
        place = targets.standing(target, snapshot)
        url = place.url or targets.root_of(target).as_uri()
        return calling.call(
            limits.of(settings),
            child.judge,
            snapshot.source,
            child.Origin(url, snapshot.branch, *place[1:]),
            forges.ask(settings, url, snapshot.branch, targets.credential(settings)),
            None if as_of is None else _instant_ms(as_of),
            with_extras,
        )


def _instant_ms(as_of: str) -> int:
    from stationmaster.cli import ranges  # It brings the parser of commands.

    return ranges.instant_ms("--as-of", as_of)


def _sent(made: Report) -> dict[str, Any]:
    """A report as it is uploaded: the server sets the time of its receipt."""
    if made.repo_url.startswith("file:"):
        raise BadRequest(
            "this repository has no address; add a remote `origin`",
            code="no_address",
        )
    body: dict[str, Any] = msgspec.to_builtins(made)
    del body["createdAt"]
    return body
