"""Which lines of a function decide what it does, and under which conditions its lines run."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.deciding import DECIDING_MAX, Body, conditions, deciding
from stationmaster.reading.code.model import Symbol

NOISE = [f"    value{n} = {n}" for n in range(80)]
PYTHON = [
    "def pay(till):",
    "    if not till.is_open:",
    "        raise ClosedError",
    *NOISE[:40],
    "    for coin in till:",
    "        if coin.is_false:",
    "            continue",
    *[f"    {line}" for line in NOISE[40:50]],
    "        take(coin)",
    *NOISE[50:],
    "    till.save()",
    *NOISE[:9],
    "    return till.sum",
]


def body(lines: list[str]) -> Body:
    return Body(lines, Symbol("pay", "function", 1, len(lines)))


def shown(lines: list[str], *called: int) -> list[str]:
    spans = deciding(body(lines), called)
    return [lines[at - 1].strip() for first, last in spans for at in range(first, last + 1)]


def test_what_leaves_early_loops_writes_and_calls_is_shown_wherever_it_stands() -> None:
    found = shown(PYTHON, PYTHON.index("        take(coin)") + 1)
    assert found == [
        "if not till.is_open:", "raise ClosedError", "for coin in till:", "if coin.is_false:",
        "continue", "take(coin)", "till.save()", "return till.sum",
    ]  # fmt: skip


def test_a_function_that_decides_nothing_is_shown_by_its_beginning() -> None:
    assert shown(["def pay(till):", *NOISE]) == [line.strip() for line in NOISE[:8]]


def test_a_function_of_many_calls_is_shown_in_part() -> None:
    lines = ["def pay(till):", *[f"    take({n})" for n in range(100)]]
    assert len(shown(lines, *range(2, 102))) == DECIDING_MAX


def test_passing_an_error_on_decides_nothing_in_go() -> None:
    lines = ["func pay() error {", *["    a := 1"] * 50, "    if err != nil {"]
    lines += [
        "        return err",
        "    }",
        "    if sum == 0 {",
        "        return ErrEmpty",
        "    }",
    ]
    assert shown(lines) == ["if sum == 0 {", "return ErrEmpty"]


def test_the_end_of_a_head_of_several_lines_is_none_of_the_statements() -> None:
    lines = ["async function pay(", "  till: Till,", "): Promise<void> {", *["  a();"] * 50]
    assert shown([*lines, "  save();", "  return 1;", "}"], 54) == ["save();", "return 1;"]


_GO = """func pay() {
    if open {
        take()
    } else if late &&
        fast {
        wait()
    } else {
        call(a,
            b)
    }
    switch kind {
    case Cash:
        count()
    default:
        fail("only if late")
    }
}
"""
_RUBY = """def pay
  return if closed?
  take unless empty? # of coins
  coins.each do |coin|
    count(coin)
  end
  begin
    send
  rescue Late
    wait
  end
end
"""


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (_GO, "take()", ["if open"]),
        (_GO, "wait()", ["else if late && fast"]),
        (_GO, "call(a,", ["else of else if late && fast"]),
        (_GO, "count()", ["switch kind", "case Cash"]),
        (_GO, 'fail("only if late")', ["switch kind", "default"]),
        (_GO, "if open {", []),
        (_RUBY, "return if closed?", ["if closed?"]),
        (_RUBY, "take unless empty? # of coins", ["unless empty?"]),
        (_RUBY, "count(coin)", []),
        (_RUBY, "wait", ["rescue Late"]),
    ],
)
def test_conditions_are_those_in_which_a_line_stands(
    text: str, line: str, found: list[str]
) -> None:
    lines = text.splitlines()
    at = [it.strip() for it in lines].index(line) + 1
    assert conditions(body(lines), at) == found


def test_an_example_in_a_docstring_is_no_code() -> None:
    lines = ["def pay(till):", '    """Pay.', "", "    for coin in till:", "        till.save()",
             '    """', *NOISE, "    return 1"]  # fmt: skip
    assert shown(lines) == ["return 1"]
