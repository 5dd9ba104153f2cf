"""Conditions that lead out of what a line stands in, above it."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.bodies import guards
from tests.reading.code.test_deciding import body

_GUARDED = """def pay(order):
    if not order.open:
        return
    if order.late:
        if order.old:
            return
        warn()
    if order.free:
        take()
    else:
        return
    if order.torn or order.lost:
        raise Torn
    for coin in order.coins:
        if coin.false: continue
        count(coin)
    send()
"""
_GUARDED_GO = """func pay(order Order) error {
	err := check(order)
	if err != nil {
		return err
	}
	if order.Free {
		return nil
	}
	send(order)
}
"""
_GUARDED_RUBY = """def pay
  return if closed?
  return unless open?
  send
end
"""


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (_GUARDED, "warn()", ["where order.open", "unless order.old"]),
        (_GUARDED, "take()", ["where order.open"]),
        (_GUARDED, "count(coin)",
         ["where order.open", "unless order.torn or order.lost", "unless coin.false"]),
        (_GUARDED, "send()", ["where order.open", "unless order.torn or order.lost"]),
        (_GUARDED_GO, "send(order)", ["unless order.Free"]),
        (_GUARDED_RUBY, "send", ["unless closed?", "where open?"]),
    ],
)  # fmt: skip
def test_what_leads_away_above_a_line_is_a_condition_of_it(
    text: str, line: str, found: list[str]
) -> None:
    lines = text.splitlines()
    at = [it.strip() for it in lines].index(line) + 1
    told = sorted([*guards(body(lines), at)])
    assert [f"{it.word} {' or '.join(it.texts)}" for _, it in told] == found
