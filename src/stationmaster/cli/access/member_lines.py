"""A file of members: CSV with a header line, checked as a whole before anything is changed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from stationmaster.access.model import Role, role_of
from stationmaster.access.names import email_of, name_of
from stationmaster.errors import BadRequest

_COLUMNS = {"email", "role", "team"}


class MemberLine(NamedTuple):
    """`role` None changes none; `team` means something where the file `has_team`s."""

    email: str
    role: Role | None
    has_team: bool
    team: str | None


def member_lines(file: Path) -> list[MemberLine]:
    """The lines of a file; BadRequest names the first that is wrong, OSError a file that is."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        try:
            reader = csv.DictReader(opened, strict=True)
            columns = set(reader.fieldnames or ())
            if "email" not in columns or not columns <= _COLUMNS:
                raise BadRequest(f"{file}: the columns are email, role, team", code="bad_file")
            return [_line(file, n, columns, row) for n, row in enumerate(reader, 2)]
        except (csv.Error, UnicodeDecodeError) as fault:
            raise BadRequest(f"{file} is no CSV in UTF-8: {fault}", code="bad_file") from fault


def _line(file: Path, number: int, columns: set[str], row: dict[str, str | None]) -> MemberLine:
    try:
        role, team = (row.get("role") or "").strip(), (row.get("team") or "").strip()
        return MemberLine(
            email=email_of(row["email"] or ""),
            role=role_of(role) if role else None,
            has_team="team" in columns,
            team=name_of(team) if team else None,
        )
    except BadRequest as fault:
        raise BadRequest(f"{file}, line {number}: {fault.detail}", code=fault.code) from fault
