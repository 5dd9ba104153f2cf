"""Figures as people read them, short in cards and axes, exact in tables."""

from __future__ import annotations

from typing import Literal

Unit = Literal["usd", "credits", "count", "tokens", "share"]
NONE = "–"
"""The text in place of a missing figure."""
_STEPS = ((1_000_000_000_000, "T"), (1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k"))


def short(value: float | None, unit: Unit = "count") -> str:
    """At most three significant digits: `$1.23k`, `45.6M`, `87 %`."""
    if value is None:
        return NONE
    if unit == "share":
        return f"{round(100 * value)} %"
    sign = "−" if value < 0 else ""
    return f"{sign}{'$' if unit == 'usd' else ''}{_scaled(abs(value), is_money=unit == 'usd')}"


def exact(value: float | None, unit: Unit = "count") -> str:
    """All digits that matter, thousands separated: `$1,234.50`, `45,600,123`, `87.4 %`."""
    if value is None:
        return NONE
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "usd":
        return f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def change(now: float | None, before: float | None) -> str | None:
    """The change against a period before in words, `12 % more`; None where it had nothing."""
    if now is None or not before:
        return None
    share = round(100 * (now - before) / before)
    if share == 0:
        return "about the same"
    if share > 999:
        return "over ten times as much"
    return f"{share} % more" if share > 0 else f"{-share} % less"


def _scaled(value: float, *, is_money: bool) -> str:
    for size, letter in _STEPS:
        # 999.5 thousand would round to a thousand thousands.
        if value >= size * 0.9995:
            return f"{_digits(value / size)}{letter}"
    if is_money:
        return f"{value:.2f}" if value < 99.995 else f"{value:.0f}"
    return _digits(value)


def _digits(value: float) -> str:
    """Three significant digits without zeros at the end."""
    places = 2 if value < 9.995 else 1 if value < 99.95 else 0
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
