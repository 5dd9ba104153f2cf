"""A day's slices under the values that may be shown: of agents, repositories and teams, and of what
is broken down by model, tool, skill, command, hook, server, language, extension or autonomy, so
that nothing computed from any answers rests on few people.

The rule: a value may be shown apart from the others if, among rows that are equal in everything
shown before, at least `minimum` people have it and as many have another, place by place.  Why that
is enough: take any sum or difference of shown figures that is not zero everywhere, and of the
values in it the one that was decided last. All other values in it are constant among rows that were
equal before that decision. So in each such place the result holds either all rows with that value
or all rows without it, and at least `minimum` people over all places. This holds for any number of
answers. A value that is all that is left of a total shows nothing new, and is shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import pyarrow as pa

from stationmaster.access.model import is_program
from stationmaster.aggregate.slices import UNKNOWN, Slices
from stationmaster.report_names import Dimension

REST = "rest"
"""What values that are not shown apart are called together."""
Label = TypeVar("Label", bound=Hashable)
_Key = tuple[Hashable, Hashable]
"""What a label is of, and the label."""


class Crowd:
    """The people of rows of figures, and how far these rows are distinguished.

    Make one for all rows of a day, never for some of them, and split it by one column after the
    other, in the same order whatever is asked: each decision counts on those before it.

        crowd = Crowd(users, minimum)            # the user id of each row
        teams = crowd.split(teams, REST)         # what to show as the team of each row
        tools = crowd.split(tools, REST)         # its tool, in figures of the whole organization
        tools_of_teams = crowd.split(tools, REST, within=teams)  # in those of one team

    Then add up figures by what `split` returns; figures of several days by adding up such sums.
    """

    def __init__(
        self, users: Sequence[str], minimum: int, parts: Sequence[Hashable] | None = None
    ) -> None:
        """Rows that differ in `parts` are distinguished already. Programs are no people."""
        self.minimum = minimum
        self._people = [None if is_program(user) else user for user in users]
        self._parts = _numbered([None] * len(users) if parts is None else parts)

    @property
    def is_large(self) -> bool:
        """Are there enough people for a figure of all of them?"""
        return len(set(self._people) - {None}) >= self.minimum

    def split(
        self,
        labels: Sequence[Label | None],
        rest: Label,
        *,
        within: Sequence[Hashable] | None = None,
        never: Collection[Label] = (),
    ) -> list[Label | None]:
        """What to show as the label of each row: itself, or `rest`.

        A row without a label is in no list. Where some are, a rest of too few people is not shown
        apart from them: its rows have no label either. With `within` the labels of each of its
        values are decided apart. Labels in `never` are always part of the rest.
        """
        places: Sequence[Hashable] = [None] * len(labels) if within is None else within
        keys = [*zip(places, labels, strict=True)]
        excluded = {None, rest, *never}
        shown = self._accept(keys, {key for key in keys if key[1] not in excluded})
        rests = [
            (place, None if label is None or (place, label) in shown else rest)
            for place, label in keys
        ]
        listed = {key for key in rests if key[1] is not None}
        has_none = None in labels
        kept = self._accept(rests, listed) if has_none else listed
        return [
            key[1] if key in shown else rest if other in kept else None
            for key, other in zip(keys, rests, strict=True)
        ]

    def _accept(self, keys: Sequence[_Key], candidates: Collection[_Key]) -> set[_Key]:
        """The candidates that may be shown; from now on the rows of each are distinguished."""
        if not candidates:
            return set()
        places = _Places(self._parts, keys, self._people)
        ranked = sorted(candidates, key=lambda key: (-len(places.people[key]), str(key)))
        shown = {key for key in ranked if places.take(key, self.minimum)}
        if shown:
            rows = zip(self._parts, keys, strict=True)
            self._parts = _numbered([(part, key if key in shown else None) for part, key in rows])
        return shown


def _numbered(values: Sequence[Hashable]) -> list[int]:
    """A number for each value, the same for equal ones."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


class _Places:
    """Who has which key, among the keys that are not taken out yet."""

    def __init__(
        self, parts: Sequence[int], keys: Sequence[_Key], people: Sequence[str | None]
    ) -> None:
        self.people: defaultdict[_Key, set[str]] = defaultdict(set)
        self._left_of: defaultdict[Hashable, set[_Key]] = defaultdict(set)
        """The keys left of what they are of."""
        self._home: dict[str, int] = {}
        """The one part in which a person is counted, so that numbers of all parts add up."""
        self._at_home: defaultdict[_Key, set[str]] = defaultdict(set)
        self._keys_left: Counter[str] = Counter()
        """Of a person at home."""
        for part, key, person in dict.fromkeys(zip(parts, keys, people, strict=True)):
            if person is not None:
                self.people[key].add(person)
                if self._home.setdefault(person, part) == part:
                    self._at_home[key].add(person)
                    self._keys_left[person] += 1
        for key in self.people:
            self._left_of[key[0]].add(key)
        self._residents = Counter(self._home.values())
        """The people at home in a part who have any key left there."""

    def take(self, key: _Key, minimum: int) -> bool:
        """Take a key out if the rule lets it be shown."""
        if len(self.people[key]) < minimum:
            return False
        if self._left_of[key[0]] != {key} and self._beside(key) < minimum:
            return False
        self._left_of[key[0]].remove(key)
        for person in self._at_home[key]:
            self._keys_left[person] -= 1
            self._residents[self._home[person]] -= not self._keys_left[person]
        return True

    def _beside(self, key: _Key) -> int:
        """How many people have the key where as many have another, place by place."""
        people = self._at_home[key]
        having = Counter(self._home[person] for person in people)
        alone = Counter(self._home[person] for person in people if self._keys_left[person] == 1)
        return sum(min(n, self._residents[part] - alone[part]) for part, n in having.items())


NOT_SHOWN = ""
"""Of a part that is not shown at all. No list has it."""
PARTS: tuple[Dimension, ...] = ("team", "agent", "repository")
"""The parts of an organization, in the order in which they are decided."""


class Breakdown(NamedTuple):
    """How a table of figures is broken down: its columns, each decided after those before it.

    Columns that make one name together are adjacent. Figures of rows that differ in `kind` are
    never added up. A row without a text in the first of its columns is in no list.
    """

    columns: tuple[tuple[str, ...], ...]
    kind: str | None = None


BREAKDOWNS: Mapping[str, Breakdown] = {
    "tokens": Breakdown((("model",),)),
    "tools": Breakdown((("tool",), ("mcp_server",))),
    "names": Breakdown((("name", "matcher", "command"),), "kind"),
    "file_changes": Breakdown((("extension",), ("language",))),
    "levels": Breakdown((("autonomy",),)),
}
"""By table."""


def by_parts(day: Slices, minimum: int) -> Slices:
    """All slices of a day, their parts named as they are shown.

    A day of fewer than `minimum` people has no part to be shown.
    """
    crowd = Crowd(day.column("user_id"), minimum)
    is_large = crowd.is_large
    for part in PARTS:
        names = crowd.split(day.column(part), REST, never=(UNKNOWN,))
        day = day.with_column(part, names if is_large else [NOT_SHOWN] * len(names))
    return day


def broken_down(day: Slices, table: str, within: Dimension | None, minimum: int) -> Slices:
    """All slices of a day with the breakdown of one of their tables as it is shown: see `shown`."""
    rows = shown(day, day.whole(table), BREAKDOWNS[table], within, minimum)
    return day.with_table(table, rows)


def shown(
    day: Slices, rows: pa.Table, breakdown: Breakdown, within: Dimension | None, minimum: int
) -> pa.Table:
    """All rows of a table of figures with the values of its breakdown as they are shown: in sums of
    the whole organization, or `within` each value of a part.

    `rows` name their slice in the column `slice`. `day` is what `by_parts` gives: its parts are
    named as they are shown already, its users are the true ones.
    """
    numbers = rows["slice"].to_pylist()
    kinds = rows[breakdown.kind].to_pylist() if breakdown.kind else [None] * len(numbers)
    parts = {part: day.column(part) for part in PARTS}
    users = day.column("user_id")
    groups = [
        (kind, *(parts[part][number] for part in PARTS))
        for kind, number in zip(kinds, numbers, strict=True)
    ]
    crowd = Crowd([users[number] for number in numbers], minimum, groups)
    labels = {names: _labels(rows, names) for names in breakdown.columns}
    decided: dict[tuple[str, ...], Sequence[tuple[str, ...] | None]] = {}
    # First what is decided whatever is asked, then what is asked.
    scopes = (None, *PARTS)
    for scope in scopes[: scopes.index(within) + 1]:
        values = parts[scope] if scope else [None] * len(users)
        places: list[Hashable] = [
            (kind, values[number]) for kind, number in zip(kinds, numbers, strict=True)
        ]
        for names in breakdown.columns:
            rest = (REST, *("" for _ in names[1:]))
            decided[names] = crowd.split(labels[names], rest, within=places)
    for names, labels_of_row in decided.items():
        for place, name in enumerate(names):
            texts = [None if label is None else label[place] for label in labels_of_row]
            column = rows.schema.get_field_index(name)
            rows = rows.set_column(column, name, pa.array(texts, pa.string()))
    return rows


def _labels(rows: pa.Table, names: tuple[str, ...]) -> list[tuple[str, ...] | None]:
    """What each row is listed as; None where it is in no list."""
    columns = [rows[name].to_pylist() for name in names]
    return [
        (label[0].lower() if names == ("mcp_server",) else label[0], *label[1:])
        if label[0]
        else None
        for label in zip(*columns, strict=True)
    ]
