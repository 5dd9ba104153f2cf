"""Which lines of a function decide what it does, and under which conditions its lines run."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.bodies import Body, Condition, conditions
from stationmaster.reading.code.deciding import DECIDING_MAX, compared, deciding
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


def test_no_line_that_leaves_a_function_is_cut_for_calls() -> None:
    lines = ["fn find(&self) -> Result<Key> {", *NOISE[:40]]
    lines += [f"    self.take({n});" for n in range(60)]
    lines += ["    match keys.len() {", "        0 => {}", "        1 => return Ok(keys),",
              "        _ => return Err(Error::Many),", "    }", "    if let Some(end) = &self.end",
              "        && key == end", "    {", "        break;", "    }",
              *NOISE[:20], "    Err(Error::None)", "}"]  # fmt: skip
    found = shown(lines, *range(42, 102))
    assert {"1 => return Ok(keys),", "&& key == end", "break;", "Err(Error::None)"} <= {*found}


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


_RUST = """fn pay(&self) {
    match self.kind {
        Kind::Cash(coin) if coin.is_new() => count(),
        Kind::Card => {
            ask()
        }
    }
    let found = if open {
        take()
    } else {
        leave()
    };
    while let Some(coin) = self.next() {
        drop()
    }
}
"""
_ELSE = """def pay():
    for coin in coins():
        take()
    else:
        close()
    if not (given and
            wait()):
        stop()
"""
_TYPESCRIPT = """function pay() {
  if (isClosed(till)) return refuse(till);
  if ((open && late)) {
    take()
  } else {
    wait()
  }
}
"""
_CASES = """function pay() {
  switch (kind) {
    case Kind.Cash:
      return count();
    case Kind.Card: {
      if (open) {
        return ask();
      } else {
        throw refuse();
      }
    }
    case Kind.Old:
    case Kind.Torn:
      mend();
    case Kind.New:
      take();
      break;
    case Kind.False: fail(); break;
    default:
      leave();
  }
}
"""
_LEVEL = """int pay(void) {
    switch (kind) {
    case CASH:
        count();
        break;
    case CARD:
        ask();
    }
}
"""
_UNLESS = """def pay
  unless Till.open?
    wait
  else
    take
  end
end
"""


@pytest.mark.parametrize(
    ("text", "line", "name", "found"),
    [
        (_GO, "take()", "", ["in if open"]),
        (_GO, "wait()", "", ["in else if late && fast"]),
        (_GO, "call(a,", "", ["unless open or late && fast"]),
        (_GO, "count()", "", ["in switch kind", "in case Cash"]),
        (_GO, 'fail("only if late")', "", ["in switch kind", "in default"]),
        (_GO, "if open {", "", []),
        (_RUBY, "return if closed?", "", ["in if closed?"]),
        (_RUBY, "return if closed?", "closed?", []),
        (_RUBY, "take unless empty? # of coins", "take", ["in unless empty?"]),
        (_RUBY, "count(coin)", "", []),
        (_RUBY, "wait", "", ["in rescue Late"]),
        (_RUST, "Kind::Cash(coin) if coin.is_new() => count(),", "count",
         ["in match self.kind", "in Kind::Cash(coin) if coin.is_new()"]),
        (_RUST, "Kind::Cash(coin) if coin.is_new() => count(),", "is_new", ["in match self.kind"]),
        (_RUST, "ask()", "", ["in match self.kind", "in Kind::Card"]),
        (_RUST, "take()", "", ["in if open"]),
        (_RUST, "leave()", "", ["unless open"]),
        (_RUST, "while let Some(coin) = self.next() {", "next", []),
        (_ELSE, "close()", "", ["else for coin in coins()"]),
        (_ELSE, "wait()):", "wait", []),
        (_TYPESCRIPT, "if (isClosed(till)) return refuse(till);", "refuse",
         ["in if (isClosed(till))"]),
        (_TYPESCRIPT, "if (isClosed(till)) return refuse(till);", "isClosed", []),
        (_TYPESCRIPT, "wait()", "", ["unless (open && late)"]),
        (_CASES, "return count();", "", ["in switch (kind)", "in case Kind.Cash"]),
        (_CASES, "return ask();", "", ["in switch (kind)", "in case Kind.Card", "in if (open)"]),
        (_CASES, "mend();", "", ["in switch (kind)", "in case Kind.Old or case Kind.Torn"]),
        (_CASES, "take();", "",
         ["in switch (kind)", "in case Kind.Old or case Kind.Torn or case Kind.New"]),
        (_CASES, "leave();", "", ["in switch (kind)", "in default"]),
        (_LEVEL, "ask();", "", ["in switch (kind)", "in case CARD"]),
        (_UNLESS, "unless Till.open?", "open?", []),
        (_UNLESS, "take", "", ["where Till.open?"]),
    ],
)  # fmt: skip
def test_conditions_are_those_in_which_a_line_stands(
    text: str, line: str, name: str, found: list[str]
) -> None:
    lines = text.splitlines()
    at = [it.strip() for it in lines].index(line) + 1
    told = conditions(body(lines), at, name)
    assert [f"{it.word} {' or '.join(it.texts)}" for it in told] == found


def test_an_example_in_a_docstring_is_no_code() -> None:
    lines = ["def pay(till):", '    """Pay.', "", "    for coin in till:", "        till.save()",
             '    """', *NOISE, "    return 1"]  # fmt: skip
    assert shown(lines) == ["return 1"]


_COUNTED = """    for coin in coins {
        if self
            .sums
            .all(|it| it == coin.sum)
        {
            self.late += 1;
        }
    }
"""
_HANDLED = """  till.on('late', function (coin) {
    drop(coin)
  })
"""
_FAILING = """  try {
    value = 1
  } catch (error) {
    return next(error)
  }
"""
_TRIED = """    try:
        value = 1
        other = 2
        third = 3
    except Late:
        till.save()
"""


def test_what_a_loop_changes_is_shown_with_all_of_its_condition() -> None:
    lines = ["fn pay(&mut self) {", *NOISE, *_COUNTED.splitlines(), *NOISE, "}"]
    assert shown(lines) == [it.strip() for it in _COUNTED.splitlines()[:6]]


def test_handlers_and_times_are_shown_and_passing_an_error_on_is_not() -> None:
    parts = [_HANDLED, "  wait(5 * time.Minute)", _FAILING]
    lines = ["function pay(till) {"]
    for part in parts:
        lines += [*NOISE, *part.splitlines()]
    assert shown([*lines, *NOISE, "}"]) == [
        "till.on('late', function (coin) {",
        "drop(coin)",
        "wait(5 * time.Minute)",
    ]


def test_a_branch_stands_below_what_it_is_a_branch_of() -> None:
    lines = ["def pay(till):", *NOISE, *_TRIED.splitlines(), *NOISE]
    assert shown(lines) == ["try:", "except Late:", "till.save()"]


def test_what_leads_on_is_shown_before_all_that_handles_errors() -> None:
    handlers = [f"    except E{at}:\n        log({at})\n        return {at}" for at in range(30)]
    text = "\n".join(["def pay(till):", "    try:", "        code = work()", *handlers])
    lines = [*text.splitlines(), *(f"    if late({at}):\n        return {at}" for at in range(40))]
    symbol = Symbol("pay", "function", 1, len(lines))
    spans = deciding(Body(lines, symbol), (), (3,))
    assert any(first <= 3 <= last for first, last in spans)


def test_the_else_of_a_try_is_none_of_its_handlers() -> None:
    text = "def pay():\n    try:\n        one()\n    except E:\n        two()\n    else:\n"
    lines = [*text.splitlines(), "        three()"]
    body = Body(lines, Symbol("pay", "function", 1, len(lines)))
    assert conditions(body, 7) == [Condition("else", ("try",))]


@pytest.mark.parametrize(
    ("first", "second", "before"),
    [
        ("!may_delete", "!missing", ("!may_delete",)),
        ("kind == Cash", "kind == Card", ()),
        ("kind == Cash", "till == Card", ("kind == Cash",)),
        ("err != nil", "late", ()),
    ],
)
def test_what_is_asked_before_an_else_if_is_false_there_unless_that_says_so_itself(
    first: str, second: str, before: tuple[str, ...]
) -> None:
    text = (
        f"func pay() {{\n    if {first} {{\n        a()\n    }} else if {second} {{\n        b()\n"
    )
    lines = [*text.splitlines(), "    }", "}"]
    assert conditions(body(lines), 5) == [Condition("in", (f"else if {second}",), before)]


def test_a_match_that_is_all_that_an_arm_does_has_arms_of_its_own() -> None:
    text = "fn pay() {\n    match way {\n        Cash => take(),\n"
    text += '        way => match way.name() {\n            "card" => ask(),\n        },\n    }\n}'
    found = [it.texts[0] for it in conditions(body(text.splitlines()), 5, "ask")]
    assert found == ["match way", "way", "match way.name()", '"card"']


def test_straight_calls_are_shown_before_options_and_what_is_told() -> None:
    lines = [
        "func main() {",
        *['    fs.Duration("wait", time.Second, "how long")'] * 40,
        "    settings.Bind(fs)",
        '    logger.Info("bound")',
        '    settings.Prefix("SHOP")',
        "    if open {",
        "        till = make(settings)",
        "    }",
        "    shop := run(till)",
    ]
    assert shown([*lines, "}"], len(lines) + 1) == [
        "settings.Bind(fs)", 'logger.Info("bound")', 'settings.Prefix("SHOP")',
        "if open {", "till = make(settings)", "}", "shop := run(till)",
    ]  # fmt: skip


def test_what_is_compared_before_a_function_is_left_is_told_by_the_line_that_gives_it() -> None:
    lines = [
        "func pay(r Request) error {",
        "\tother := 1",
        "\tuser := session(r)",
        "\tif user == nil {",
        "\t\treturn ErrNobody",
        "\t}",
        "\tuser = nil",
        "\treturn other",
        "}",
    ]
    assert compared(body(lines)) == (3,)
