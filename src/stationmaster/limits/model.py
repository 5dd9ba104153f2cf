"""The nouns of credit limits and of budgets. Amounts are numbers of Standard Credits, or of the
smallest unit of dollars, and people read and write them as text."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

from stationmaster import days
from stationmaster.access.model import PrincipalKind
from stationmaster.errors import BadRequest
from stationmaster.pricing.credits import dollars

LIMIT_MIN = 1_000_000
"""Source: docs/conformance.md. The published bound of the organization's default."""
LIMIT_MAX = 9_007_199_254_740_991
"""The largest integer that every JSON client keeps exactly."""
CREDITS_PER_DOLLAR = 400_000
"""A credit is a token of a model of 2.50 dollars a million."""
ENTRIES_MAX = 100
NEAR_SHARE = 0.8
"""The used part of a limit from which on it is near."""
State = Literal["over", "near", "expected", "within"]
STATES: tuple[State, ...] = get_args(State)
FORECAST_DAYS_MIN = 3
"""Days that must count before a forecast is made of them."""


class UserLimit(Struct, frozen=True):
    """A member by e-mail address, and a limit; None where there is none, or shall be none."""

    email: str
    limit: int | None


class RefusedEntry(Struct, frozen=True):
    """Why one entry of a request was not applied."""

    email: str
    error: str


class BatchOutcome(Struct, frozen=True):
    """What became of the entries of a request, each list in the request's order.

    `updated` has the limit that applies now, the member's own or the organization's.
    """

    updated: list[UserLimit]
    errors: list[RefusedEntry]


class CreditLimits(Struct, frozen=True):
    """The organization's default, and the own limits of present members, by address."""

    global_limit: int | None
    user_limits: dict[str, int]


class Period(NamedTuple):
    """A month of credits in UTC days, both included."""

    start: date
    end: date

    @property
    def reset(self) -> int:
        """When the next period begins, in UTC milliseconds."""
        return days.start_ms(self.end + timedelta(days=1))

    def through(self, today: date) -> date | None:
        """Its last day that counts today: yesterday; None on its first day."""
        return today - timedelta(days=1) if today > self.start else None

    def counted(self, through: date | None) -> int:
        """The number of its days that count: those through `through`, none for None."""
        return 0 if through is None else (through - self.start).days + 1

    def forecast(self, used: int, through: date | None) -> int | None:
        """What will be used by its end at the average of the days that count; None while fewer
        than FORECAST_DAYS_MIN do."""
        counted = self.counted(through)
        if counted < FORECAST_DAYS_MIN:
            return None
        return round(used * ((self.end - self.start).days + 1) / counted)


class PrincipalUse(Struct, frozen=True):
    """One principal's use of a period against the limit that applies to it.

    `limit` is its own; `email` is None for a service account, `name` for a person; `used` is None
    of people who are not shown by name; `forecast` is `Period.forecast` of `used`.
    """

    principal_id: str
    kind: PrincipalKind
    email: str | None
    name: str | None
    limit: int | None
    effective_limit: int | None
    used: int | None
    forecast: int | None = None

    @property
    def remaining(self) -> int | None:
        """What is left, never below 0; None where nothing limits it."""
        if self.effective_limit is None or self.used is None:
            return None
        return max(self.effective_limit - self.used, 0)

    @property
    def share(self) -> float | None:
        """Used part of the limit, above 1 beyond it; None where nothing limits it."""
        if self.effective_limit is None or self.used is None:
            return None
        return round(self.used / self.effective_limit, 4)

    @property
    def state(self) -> State | None:
        """`over` where all is used, `near` from NEAR_SHARE on, `expected` where the forecast is
        above the limit, else `within`; None where nothing limits it or its use is not shown."""
        if self.effective_limit is None or self.used is None:
            return None
        if self.used >= self.effective_limit:
            return "over"
        if self.used >= NEAR_SHARE * self.effective_limit:
            return "near"
        is_expected = self.forecast is not None and self.forecast > self.effective_limit
        return "expected" if is_expected else "within"


class OrganizationUse(Struct, frozen=True):
    """The use of some principals, and what the whole organization used: former members and people
    who are seen in telemetry only count in `total_used`, too."""

    global_limit: int | None
    total_used: int
    total_forecast: int | None
    principals: list[PrincipalUse]


def bound_text(least: int = LIMIT_MIN) -> str:
    """What is wrong with a limit that is out of its bounds."""
    return (
        f"A limit is between {least:,} credits (about ${least / CREDITS_PER_DOLLAR:,.2f}) and "
        f"{LIMIT_MAX:,} credits."
    )


def period_of(day: date, reset_day: int) -> Period:
    """The period that a day falls in; periods begin on the same day (1 to 28) of every month."""
    start = day.replace(day=reset_day)
    if start > day:
        start = (start.replace(day=1) - timedelta(days=1)).replace(day=reset_day)
    following = (start + timedelta(days=31)).replace(day=reset_day)
    return Period(start, following - timedelta(days=1))


THIS_PERIOD = "the average of this period so far"
LAST_PERIOD = "the average of the period before"


class Forecast(NamedTuple):
    """`exhausted_on` is the day on which all is used at the rate of `basis`: today where all is
    used already, None where that is not within the period; `pace` is the use so far as a part of
    what the period before had used by then, None without one."""

    exhausted_on: date | None
    basis: str | None
    pace: float | None


def forecast_of(
    used: int, amount: int, period: Period, last_used: int | None, now: int
) -> Forecast:
    """When a budget will be used up at the average of the period so far; in its first tenth at that
    of the period before, because a few hours show little."""
    start, whole = days.start_ms(period.start), period.reset - days.start_ms(period.start)
    elapsed = min(max(now - start, 0), whole)
    pace = None
    if last_used and elapsed:
        pace = round(used * whole / (last_used * elapsed), 2)
    basis: str | None
    if elapsed * 10 >= whole:
        rate, basis = (used, elapsed), THIS_PERIOD
    elif last_used:
        rate, basis = (last_used, whole), LAST_PERIOD
    else:
        return Forecast(None, None, pace)
    left = max(amount - used, 0)
    if not rate[0]:
        return Forecast(None, basis, pace)
    at = now + left * rate[1] // rate[0]
    return Forecast(days.of_ms(at) if at < period.reset else None, basis, pace)


Currency = Literal["credits", "usd"]


def amount_text(amount: int, currency: Currency) -> str:
    """An amount for people: `$4.20` or `80,000,000 credits`. Dollars are cut after the cent, or
    shown exactly where they are less."""
    if currency == "credits":
        return f"{amount:,} credits"
    if 0 < amount < dollars.PER_DOLLAR // 100:
        return f"${dollars.text(amount)}"
    whole, rest = divmod(amount, dollars.PER_DOLLAR)
    return f"${whole:,}.{rest // 10**10:02d}"


AMOUNT_TEXT_MAX = 50
"""Characters of an amount as people write it."""
USD_LEAST = dollars.PER_DOLLAR // 100
"""A cent: a smaller budget is a mistake about the unit."""
USD_MOST = 10**12 * dollars.PER_DOLLAR


def amount_of(text: str, currency: Currency) -> int:
    """An amount as people write it, in the smallest unit: `80,000,000`, `5`, `4.50`, `$5`.

    Raises BadRequest.
    """
    plain = text.strip().removeprefix("$").replace(",", "").replace("_", "").replace(" ", "")
    try:
        number = Decimal(plain if len(plain) <= AMOUNT_TEXT_MAX else "NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) > USD_MOST:
        raise BadRequest("An amount is a number, like 5 or 80,000,000.", code="invalid_amount")
    scaled = number if currency == "credits" else number * dollars.PER_DOLLAR
    if scaled != int(scaled):
        what = "whole credits" if currency == "credits" else "dollars with at most 12 decimals"
        raise BadRequest(f"An amount is in {what}.", code="invalid_amount")
    return int(scaled)


def plain_amount(amount: int, currency: Currency) -> str:
    """An amount as it is typed: exact, without its unit."""
    return f"{amount:,}" if currency == "credits" else dollars.text(amount)
