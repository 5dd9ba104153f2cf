"""One view of a page of figures: its filters, the reports that it needs, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property
from typing import Any, cast

from starlette.responses import Response

from stationmaster import clock
from stationmaster.access import privacy
from stationmaster.analytics.coverage import report as coverage
from stationmaster.analytics.days import local_days
from stationmaster.errors import Forbidden, NotFound
from stationmaster.lake.rollups import reads
from stationmaster.report_names import (
    DIMENSIONS as REPORT_DIMENSIONS,
    INSIGHT_FILTERS,
    Dimension,
    Insight,
    Report,
)
from stationmaster.web.charts.axes import long_label
from stationmaster.web.figures import reports, today
from stationmaster.web.figures.blocks import Block, Card, HiddenBlock, Table
from stationmaster.web.figures.period import DIMENSIONS, PRESETS, RUNNING, Filters, Period, parse
from stationmaster.web.frame import pages

PARAMETERS = {
    "team": "team",
    "person": "user",
    "agent": "agent",
    "model": "model",
    "repository": "repository",
}
"""How the API names the filters of pages."""
_LISTED_MAX = 2_000
"""Names that a filter offers; others can be typed."""


class View(pages.Visit):
    """What one request of a page shows. Every report is asked once, however many parts need it.

    `dimensions` are the filters that the page's reports know; `own` are parameters of the page
    alone with their values, the first of which is the default. `part` is what the whole page is
    about, a value by dimension; `is_own` makes that the caller, whose figures are shown to
    themselves whatever the role and the privacy mode.
    """

    def __init__(
        self,
        visit: pages.Visit,
        dimensions: Sequence[str] = DIMENSIONS,
        own: Mapping[str, Sequence[str]] = {},
        *,
        part: Mapping[str, str] = {},
        is_own: bool = False,
    ) -> None:
        super().__init__(visit.request, visit.caller)
        if not is_own:
            self.require_manager()
        self.dimensions = dimensions
        self.part = {"person": self.caller.principal_id} if is_own else part
        self.is_own = is_own
        self.filters: Filters = parse(self.request.query_params, clock.today(), dimensions)
        self.policy = privacy.of(self.db, self.org)
        self.filters = self._with_person(self.filters)
        parameters = self.request.query_params
        self.own = {
            name: parameters[name] if parameters.get(name) in values else values[0]
            for name, values in own.items()
        }
        self.defaults = {name: values[0] for name, values in own.items()}
        self._answers: dict[object, reports.ReportAnswer] = {}

    @property
    def period(self) -> Period | None:
        """The closed days of the chosen range; None without any."""
        return closed(self.filters.period, self.filters.today)

    @cached_property
    def first_day(self) -> date | None:
        """The first day with data, today included; None while nothing has arrived."""
        return reads.first_day(self.db, self.org)

    def days(self) -> list[date]:
        """The days that charts have."""
        return [] if self.period is None else self.period.dates()

    def report(
        self,
        report: Report | Insight,
        *,
        group_by: str | None = None,
        per: str | None = None,
        of: Period | None = None,
        is_filtered: bool = True,
    ) -> reports.ReportAnswer:
        """A report of the chosen days, or `of` others, with the filters that it knows.

        `per` is the period of a row of a report on facts: day, week or month. Raises Forbidden
        where the privacy mode does not show it.
        """
        period = of or self.period
        assert period is not None  # A page without a closed day reads nothing.
        parameters: list[tuple[str, str]] = []
        if group_by:
            parameters.append(("group_by", group_by))
        if per:
            parameters.append(("period", per))
        parameters += self._only(report, self.filters.only if is_filtered else {})
        return self._memo(report, period, tuple(parameters))

    def before(self) -> Period | None:
        """The period to compare with; None where nothing is compared."""
        if not self.filters.is_compared or self.period is None:
            return None
        whole = self.filters.before
        # The open day has no counterpart, either.
        last = whole.last - (self.filters.period.last - self.period.last)
        return Period(whole.first, last) if whole.first <= last else None

    @cached_property
    def everyone(self) -> Sequence[coverage.PersonCoverage]:
        """Members, programs and people who only send: what is shown of them is for `people`."""
        return coverage.everyone(self.db, self.org)

    @cached_property
    def people(self) -> Mapping[str, str]:
        """The name of each person and program by id, as the privacy mode shows them."""
        return {
            person.id: person.email or person.name or person.id
            for person in self.everyone
            if not self.is_own and (self.policy.is_named or person.kind == "service")
        }

    @cached_property
    def so_far(self) -> today.SoFar | None:
        """The running day so far of what the page is about; None before any data, with a filter
        by model, and where the privacy mode does not show it."""
        chosen = {**self.filters.only, **({} if self.is_own else self.part)}
        if "model" in chosen or self.first_day is None:
            return None
        named = {cast(Dimension, PARAMETERS[name]): value for name, value in chosen.items()}
        try:
            return today.read(self, named, is_own=self.is_own)
        except Forbidden:
            return None

    @property
    def is_today(self) -> bool:
        """Is the running day alone asked for?"""
        return self.filters.preset == "today"

    @property
    def ends_today(self) -> bool:
        """Does the chosen range go on until now, so that the running day follows its last one?"""
        period, now = self.filters.period, self.filters.today
        return self.filters.preset in RUNNING or period.last == now > period.first

    @property
    def has_figures(self) -> bool:
        """Is the page itself wanted, and is there a closed day to show?"""
        return (
            self.period is not None
            and self.first_day is not None
            and pages.CSV not in self.request.query_params
        )

    def link(self, **changes: str | None) -> str:
        """The address of this page with other values of its filters."""
        own = {
            name: value if value != self.defaults[name] else None
            for name, value in (self.own | changes).items()
            if name in self.own
        }
        query = self.filters.query(**(changes | own))
        return self.request.url.path + (f"?{query}" if query else "")

    def toggles(self, name: str, texts: Mapping[str, str]) -> list[tuple[str, str, bool]]:
        """The values of an own parameter: text, address, and whether it is the present one."""
        return [
            (text, self.link(**{name: value}), self.own[name] == value)
            for value, text in texts.items()
        ]

    def answer(
        self,
        template: str,
        makers: Mapping[str, Maker],
        *,
        cards: Callable[[View], Sequence[Card]] | None = None,
        notes: Callable[[View], Sequence[str]] | None = None,
        tables: Sequence[Table] = (),
        **values: Any,
    ) -> Response:
        """The page, or one of its charts and tables as CSV (`csv=NAME`).

        `makers` make charts and tables of the chosen days by their names; the template shows them
        as `blocks.NAME`. `tables` are there whatever days are chosen, as `tables.NAME`.
        """
        by_name = {table.name: table for table in tables}
        table_name = self.request.query_params.get(pages.CSV)
        if table_name in by_name:
            return pages.csv_file(by_name[table_name], table_name)
        if table_name is not None:
            return self._csv(makers, table_name)
        has_days = self.has_figures
        so_far = self.so_far if self.is_today else None
        return self.page(
            template,
            view=self,
            presets=PRESETS,
            so_far=so_far,
            today_cards=today.cards(so_far) if so_far else [],
            today_tables=today.tables(so_far) if so_far else {},
            choices=self._choices() if has_days else {},
            has_days=has_days,
            cards=cards(self) if cards and has_days else [],
            blocks={name: self._made(name, make) for name, make in makers.items()}
            if has_days
            else {},
            tables=by_name,
            notes=[*(notes(self) if notes and has_days else []), *self._standing()],
            **values,
        )

    def _with_person(self, filters: Filters) -> Filters:
        """The filters with the id of a person who was typed by name or by a part of it."""
        typed = filters.only.get("person")
        if typed is None or self.is_own or typed in (names := self.people):
            return filters
        lowered = typed.lower()
        exact = [user for user, name in names.items() if name.lower() == lowered]
        fitting = exact or [user for user, name in names.items() if lowered in name.lower()]
        if len(fitting) == 1:
            return filters._replace(only={**filters.only, "person": fitting[0]})
        if len(fitting) > 1:
            return filters._replace(fault=f"“{typed[:60]}” fits {len(fitting)} people: type more.")
        return filters

    def _csv(self, makers: Mapping[str, Maker], name: str) -> Response:
        if self.is_today and self.so_far and name in (tables := today.tables(self.so_far)):
            return pages.csv_file(tables[name], f"{name}_{self.so_far.day}")
        if name not in makers or self.period is None:
            raise NotFound("There is no such table on this page.")
        block = makers[name](self)
        if isinstance(block, HiddenBlock):
            raise Forbidden(block.reason, code="privacy_mode")
        return pages.csv_file(block, f"{name}_{self.period.first}_{self.period.last}")

    def _made(self, name: str, make: Maker) -> Block:
        try:
            return make(self)
        except Forbidden as fault:
            if fault.code != "privacy_mode":
                raise
            return HiddenBlock(name, fault.detail)

    def _only(self, report: Report | Insight, chosen: Mapping[str, str]) -> reports.Parameters:
        names = {*REPORT_DIMENSIONS, *INSIGHT_FILTERS.get(cast(Insight, report), ())}
        return [
            (PARAMETERS[name], value)
            for name, value in {**chosen, **self.part}.items()
            if PARAMETERS[name] in names
        ]

    def _memo(
        self, report: Report | Insight, period: Period, parameters: reports.Parameters
    ) -> reports.ReportAnswer:
        key = report, period, parameters
        if key not in self._answers:
            self._answers[key] = reports.ask(self, report, period, parameters, is_own=self.is_own)
        return self._answers[key]

    def _choices(self) -> dict[str, list[tuple[str, str]]]:
        """The values that each filter offers, with their texts: what the chosen days have."""
        choices: dict[str, list[tuple[str, str]]] = {}
        for name in self.dimensions:
            try:
                answer = self.report(
                    "spend", group_by=PARAMETERS[name], per="month", is_filtered=False
                )
            except Forbidden:
                continue
            keys = list(dict.fromkeys(row["group_key"] for row in answer.rows))[:_LISTED_MAX]
            if (chosen := self.filters.only.get(name)) and chosen not in keys:
                keys.append(chosen)
            texts = self.people if name == "person" else {}
            options = [(key, texts.get(key, key)) for key in keys]
            choices[name] = sorted(options, key=lambda option: option[1].lower())
        return choices

    def _days_of(self) -> Iterator[str]:
        """Through which day figures are, and of which time zone their days are."""
        assert self.period is not None
        last = {
            f"{answer.meta.get('time_zone', local_days.UTC_NAME)}": answer.meta.get(
                "end_date", f"{self.period.last}"
            )
            for answer in self._answers.values()
        }
        yield f"Closed UTC days through {long_label(self.period.last)}; today is not over."
        for zone in sorted({*last} - {local_days.UTC_NAME}):
            day = long_label(date.fromisoformat(last[zone]))
            yield f"Spending, edits, errors and caches are of days of {zone}, through {day}."

    def _standing(self) -> list[str]:
        """How late and how complete the figures of the page are."""
        if self.period is None or self.first_day is None:
            return []
        sentences = [*self._days_of()]
        if self.first_day > self.period.first:
            sentences.append(f"No data before {long_label(self.first_day)}.")
        missing = sorted(
            {
                day
                for answer in self._answers.values()
                for day in answer.meta.get("missing_days", ())
            }
        )
        if missing:
            listed = ", ".join(long_label(date.fromisoformat(day)) for day in missing[:3])
            more = f" and {len(missing) - 3} more days" if len(missing) > 3 else ""
            sentences.append(f"Still being counted: {listed}{more}.")
        revision = max((answer.revision for answer in self._answers.values()), default=0)
        if revision > 1:
            sentences.append(f"Late data has changed days of this range: revision {revision}.")
        if not self.policy.is_named and not self.is_own:
            sentences.append(f"People are shown as the privacy mode “{self.policy.mode}” allows.")
        return sentences


def closed(period: Period, today: date) -> Period | None:
    """The days of a period that are over; None without any."""
    last = min(period.last, today - timedelta(days=1))
    return Period(period.first, last) if period.first <= last else None


Maker = Callable[[View], Block]
"""What makes a chart or table of a page."""
