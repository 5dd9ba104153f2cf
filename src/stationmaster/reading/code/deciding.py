"""The lines of a function that decide what it does: calls, writes, early exits and loops, each with
the conditions under which it runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import chain, islice

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.bodies import CONDITION, LOOP, PASSED_ON, Body, statement
from stationmaster.reading.code.explaining import behind

DECIDING_MAX = 32
"""Lines of a function that is not shown whole."""
_ENOUGH = 8
"""Lines of a function of which none decides anything."""
_EXIT_WORTH = 5
"""What it counts that a statement leaves the function, a loop or a choice."""
_RECORD_MAX = 3
"""Lines of a record that is written."""
_BRIDGED = 3
"""So many lines without a statement between two that are shown are, too, and fewer with one."""
_EXIT = re.compile(
    r"\s*(?:[^=>\n]{1,120}=> )?"
    r"(?:(?:return|raise|throw|continue|break|next|redirect\w*|abort|halt|panic|exit|die|bail)\b"
    r"|Err\()"
)
_FAILS = re.compile(
    r"\b(?:raise|throw|panic|die|bail|halt|abort|Err)\b|\bError|\berrors\.|Errorf\("
)
"""What leaves a function because something is wrong with what it works on."""
_LAST = re.compile(r"\s*(?:(?:return|raise|throw|Self|None)\b|(?:Ok|Err|Some)\()")
"""The last statement of a function that returns a value."""
_INNER = re.compile(rf"{PASSED_ON.pattern}|^\s*(?:async )?(?:def|function)\b")
"""A handler of an error, or a nested function."""
_TRY = re.compile(r"\s*(?:try|begin)\b")
_KEPT = re.compile(r"\s*(?:(?:const|let|var) )?[\w$, ]{1,80} = [^(]{1,120}\(")
"""A variable that is set to the result of a call."""
_HANDLES = re.compile(r".{0,120}?\b(?:on|once|addEventListener|addListener|subscribe)\(\s*[\w'\"`]")
"""A call that registers a function for an event."""
_TIME = re.compile(
    r".{0,200}?(?:\btime\.(?:Second|Minute|Hour)|\bfrom_(?:secs|millis)\(|(?i:timeout|interval))"
)
_SETS_UP = re.compile(
    r"\s*(?:(?:(?:const|let|var|val|final) )?[\w$@, ]{1,80} ?:?= (?:await |new )*[\w$@.>:-]{1,160}"
    r"|(?:await )?[\w$@]{1,60}(?:(?:\.|->|::)\w{1,60}){1,4})(?:<[\w.]{1,60}>)?\("
)
"""A call on a receiver, or a variable with the result of a call."""
ASIDE = re.compile(
    r"\s*(?:(?i:(?:console|logg?(?:er|ing)?|slog)\.\w|(?:\w{1,20}\.)?\w{0,10}print\w{0,20}!?\(|echo\b)"
    r"|(?:[\w, ]{1,80} ?:?= )?[\w.]{1,60}\.(?:(?:(?:String|Bool|(?:I|Ui)nt(?:8|16|32|64)?"
    r"|Float(?:32|64)?|Duration|Count)(?:Slice|Array)?(?:Var)?P?|VarP?)|add_(?:argument|option))\()"
)
"""A statement that logs or prints, or declares an option of a command line."""
_CHANGES = re.compile(
    r"\s*(?:(?:[\w@$]{1,60}(?:\.|->)){1,4}\w{1,60} ?(?:[-+*/|&^%]|<<|>>|\?\?|\|\||&&)?=(?![=>])"
    r"|[\w@$]{1,60} ?(?:[-+*/|&^%]|<<|>>)=)"
)
"""An assignment to a member, or a change of a count."""
_WRITES = re.compile(rf"(?:\.|->|::)(?:{'|'.join(english().writing)})(?:_\w+|[A-Z]\w*)?!?\(?")

_STORES = re.compile(
    r"(?:\.|->)(?:save|persist|destroy|upsert|create_?[rR]ow)\w{0,20}!?(?:\(|$)"
    r"|->(?:insert|update|delete)\w{0,20}\(|\.(?:delete|destroy)(?:!|\(\))"
)
"""A call that writes a row or record, and not to a collection in memory."""
_QUERIES = re.compile(
    r"[\"'`]{1,3}\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|MERGE INTO)\s"
    r"|\s*(?:SELECT|INSERT INTO|DELETE FROM|MERGE INTO|FROM|WHERE|(?:LEFT |INNER )?JOIN|SET|VALUES"
    r"|ON CONFLICT|GROUP BY|ORDER BY)\s"
)
"""A line of a text of SQL."""
_OF_EACH = re.compile(
    r"\s*(?:for|foreach)\b[ (]{0,2}(?:(?:const|let|var|auto|final)\b[ &]{0,3})?"
    r"(?:\([\w, ]{1,80}, )?(?:\w{1,40}, ?)?(?:[\w<>.]{1,60} )?\$?(\w{1,60})\)? (?:in|of|:=? ?)"
    r"|\s*foreach \([^)]{1,200} as (?:\$\w{1,60} => )?\$(\w{1,60})\)"
    r"|.{1,200}\.each(?:_\w{1,40})? (?:do|\{) \|(\w{1,60})\|"
)
"""The head of a loop, with the name of what it takes one by one."""
_ON = re.compile(r"(?<![\w.>])\$?(\w{1,60})(?:(?:\.|->)\w{1,60})?\(")
"""What a call is on, or the name that is called."""
_COMPARES = re.compile(r"\.(?:partial_)?cmp\(|\b(?:[cC]ompare(?:To)?|localeCompare|strn?cmp)\(|<=>")
_ASSIGNED = re.compile(r"\s*(?:(?:const|let|var|val|final) )?([\w$@, ]{1,80}+):?=(?![=>])")
_USED = re.compile(r"(?<![\w.>\"'`:])[$@]?[A-Za-z_]\w*+(?!\(|: {0,4}\S)")
_NAMES = re.compile(r"[$@]?[A-Za-z_]\w*+(?![\w(])")


def deciding(
    body: Body, called: Collection[int], leading: Collection[int] = ()
) -> list[tuple[int, int]]:
    """The first and last lines of the parts of a function that decide, in their order: first those
    that are `leading` on and what it comes to, then what leaves it unless something is wrong, then
    what else is `called`; of what counts the same, what stands further out."""
    kept: set[int] = set()
    worths = _worths(body, called, leading)
    for at in sorted(worths, key=lambda at: (-worths[at], len(body.within(at)), at)):
        shown = (*body.holders(at), at, *_first_within(body, at))
        whole = ((it, None if not _STORES.search(body.text(it)) else _RECORD_MAX) for it in shown)
        more = set(chain.from_iterable(islice(statement(body, it), most) for it, most in whole))
        if len(kept | more) <= DECIDING_MAX:
            kept |= more
    kept |= _defining(body, kept)
    return _runs(body, sorted(kept) or list(body.outer)[:_ENOUGH])


def _defining(body: Body, kept: Set[int]) -> set[int]:
    """The lines that set what lines that are kept use, as far as there is room, from the first."""
    set_at = _assignments(body)
    more: set[int] = set()
    for at in sorted(kept):
        for name in _USED.findall(body.text(at)):
            before = [line for line in set_at.get(name, ()) if line < at]
            if before and kept.isdisjoint(before):
                lines = {*statement(body, before[-1]), *body.holders(before[-1])}
                if len(more | lines | kept) <= DECIDING_MAX:
                    more |= lines
    return more


def _assignments(body: Body) -> Mapping[str, Sequence[int]]:
    """The lines that set each name."""
    set_at: dict[str, list[int]] = {}
    for at in body.outer:
        match = _ASSIGNED.match(body.text(at))
        for name in _NAMES.findall(match[1]) if match else ():
            set_at.setdefault(name, []).append(at)
    return set_at


def compared(body: Body) -> tuple[int, ...]:
    """The lines that give what is compared before a function is left its value last."""
    set_at = _assignments(body)
    found: dict[int, None] = {}
    for at, outer in body.outer.items():
        asked = body.text(outer) if outer != body.first and _EXIT.match(body.text(at)) else ""
        for name in _NAMES.findall(asked) if CONDITION.match(asked) else ():
            before = [line for line in set_at.get(name, ()) if line < outer]
            found |= dict.fromkeys(before[-1:])
    return tuple(found)


def _worths(body: Body, called: Collection[int], leading: Collection[int]) -> Mapping[int, int]:
    """The weight of each statement: how much it explains of what the function does."""
    worths: dict[int, int] = {}
    for at, outer in body.outer.items():
        text = body.text(at)
        if at in leading:
            worths[at] = _EXIT_WORTH + 1
            continue
        within = body.text(outer) if outer != body.first else ""
        is_inside = CONDITION.match(within) and not PASSED_ON.search(within)
        is_exit = _EXIT.match(text)
        if is_exit and (is_inside or behind(text)[0] or "=>" in text):
            worths[at] = 3 if _FAILS.search(text) else _EXIT_WORTH
        elif _STORES.search(text) or _QUERIES.match(text) or _is_of_each(text, within):
            worths[at] = _EXIT_WORTH
        elif at in called or _HANDLES.match(text) or any(map(_COMPARES.search, (within, text))):
            worths[at] = 4
        elif ASIDE.match(text):
            continue
        elif _WRITES.search(text) or _TIME.match(text) or (is_inside and _CHANGES.match(text)):
            worths[at] = 3
        elif (_TRY.match(within) and _KEPT.match(text)) or (
            body.first in (outer, body.outer.get(outer))
            and not PASSED_ON.search(within)
            and _SETS_UP.match(text)
        ):
            worths[at] = 2
        elif LOOP.match(text) or (CONDITION.match(text) and not PASSED_ON.search(text)):
            worths[at] = 1
        aside = _INNER if worths.get(at) == _EXIT_WORTH else PASSED_ON
        if at in worths and any(aside.search(body.text(it)) for it in body.within(at)):
            worths[at] = 1
    own = [at for at, outer in body.outer.items() if outer == body.first]
    if own and (own[-1] in worths or _LAST.match(body.text(own[-1]))):  # What it comes to.
        worths[own[-1]] = _EXIT_WORTH + 1
    return worths


def _is_of_each(text: str, loop: str) -> bool:
    """Does a statement of a loop call what the loop takes one by one, or a method of it?"""
    match = _OF_EACH.match(loop)
    name = next(filter(None, match.groups()), "") if match else ""
    return bool(name) and name in _ON.findall(text)


def _first_within(body: Body, line: int) -> Iterator[int]:
    """The first statements of conditions and handlers."""
    after = next((at for at in range(line + 1, body.last + 1) if at in body.outer), 0)
    text = body.text(line)
    if body.outer.get(after) == line and (CONDITION.match(text) or _HANDLES.match(text)):
        yield after


def _runs(body: Body, kept: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of lines, as first and last line, across gaps of one line or without statements."""
    runs: list[tuple[int, int]] = []
    for at in kept:
        if runs:
            between = range(runs[-1][1] + 1, at)
            is_empty = len(between) <= _BRIDGED and not any(it in body.outer for it in between)
            if len(between) < _BRIDGED or is_empty:
                runs[-1] = (runs[-1][0], at)
                continue
        runs.append((at, at))
    return runs
