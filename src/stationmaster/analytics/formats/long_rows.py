"""Reports in long form: rows whose every cell is one number or one text, as spreadsheets need them.

`tokens` has a row for each day, user and model, `users` one for each day and user. Reports whose
day has several lists (`tools`, `productivity`) have a row for each figure: its measure, what it is
of, its value. All others have the columns of their rows, objects entered with dots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from stationmaster.analytics.formats.columns import flat_columns
from stationmaster.analytics.insights.rows import row_type
from stationmaster.lake.rollups.rows import ModelUsage, ProductivityRow, ToolsRow

Row = dict[str, Any]
LIST_SEPARATOR = "; "
_COUNTERS = ModelUsage.__struct_fields__[2:]
_OF_HOOK = ("matcher", "command")


class LongForm(NamedTuple):
    """The columns of a report, and the long rows that one of its rows becomes."""

    columns: tuple[str, ...]
    rows: Callable[[Row], Iterator[list[object]]]


@cache
def long_form(name: str) -> LongForm:
    """Of a `Question.name`."""
    if name == "tokens":
        columns = ("date", "user_id", "user_email", "model_id", "model_tier", *_COUNTERS)
        return LongForm(columns, _tokens)
    row = row_type(name)
    if row in (ToolsRow, ProductivityRow):
        paths = flat_columns(row)[1:]
        own = _OF_HOOK if row is ToolsRow else ()
        columns = ("date", "measure", "name", *own, "value")
        return LongForm(columns, lambda values: _measures(values, paths, own))
    flat = flat_columns(row)
    return LongForm(tuple(map(".".join, flat)), lambda values: iter([_flat(values, flat)]))


def _tokens(row: Row) -> Iterator[list[object]]:
    """Each user's models; then what no user is shown for, so that a day adds up; at least one.

    The remainder is listed by model, unless the models of users and of the day are not the same
    ones (a privacy mode decides them apart).
    """
    left = {_model(of_model): _figures(of_model) for of_model in row["by_model"]}
    total = [sum(column) for column in zip(*left.values(), strict=True)]
    is_empty, is_by_model = True, True
    for user in row["by_user"]:
        for usage in user["by_model"]:
            model, figures = _model(usage), _figures(usage)
            total = _less(total, figures)
            left[model] = _less(left.get(model, [0] * len(figures)), figures)
            is_by_model &= min(left[model]) >= 0
            is_empty = False
            yield [row["date"], user["user_id"], user["user_email"], *model, *figures]
    rest: Iterable[tuple[Sequence[str | None], list[int]]] = left.items()
    for names, figures in rest if is_by_model else [((None, None), total)]:
        if any(figures):
            is_empty = False
            yield [row["date"], None, None, *names, *figures]
    if is_empty:
        yield [row["date"], None, None, None, None, *(row[name] for name in _COUNTERS)]


def _less(some: list[int], others: list[int]) -> list[int]:
    return [a - b for a, b in zip(some, others, strict=True)]


def _model(usage: Row) -> tuple[str, str]:
    return usage["model_id"], usage["model_tier"]


def _figures(usage: Row) -> list[int]:
    return [usage[name] for name in _COUNTERS]


def _measures(
    row: Row, paths: tuple[tuple[str, ...], ...], own: tuple[str, ...]
) -> Iterator[list[object]]:
    """A row for each figure of the day, and for each member of its lists.

    A member has its name first and its figure last; `own` are columns that only some have.
    """
    for path in paths:
        value = _at(row, path)
        if not isinstance(value, list):
            yield [row["date"], ".".join(path), None, *(None for _ in own), value]
            continue
        for member in value:
            name, *_, figure = member.values()
            yield [row["date"], path[0], name, *(member.get(key) for key in own), figure]


def _flat(row: Row, paths: tuple[tuple[str, ...], ...]) -> list[object]:
    values = [_at(row, path) for path in paths]
    return [LIST_SEPARATOR.join(value) if isinstance(value, list) else value for value in values]


def _at(row: Row, path: tuple[str, ...]) -> Any:
    value: Any = row
    for step in path:
        value = value[step]
    return value
