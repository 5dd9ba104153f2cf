"""Long texts that cost a regular expression most, made from the expression itself."""

from __future__ import annotations

import gc
import json
import re
import signal
import sys
import time
from collections.abc import Iterator
from re import (
    _constants as ops,  # type: ignore[attr-defined]
    _parser,  # type: ignore[attr-defined]
)
from typing import Any, NamedTuple

CLASSES = (
    *"\n \ta0Z\"'`/\\-.#([{<*=:,_$@!%&|~+^;?>)]}",
    " \n", "\n ", "a.", "a ", "a\n", '"\\', "\\\n", "{}", "a:", "- ", "ab", "0a", "a-", "a/", "../",
    "a,", "''", "a=", "aA", "\r\n", "a_", "//", "/*", "<!", "[](", "\x00", "é",
)  # fmt: skip
"""Runs of each are thrown at every expression."""
SIZES = (500, 2_000, 8_000, 32_000)
_SLOW_S = (0.00025, 0.001, 0.004)
"""CPU time at the second to the last size below which nothing is wrong."""
_RATIO_MAX = 8.0
"""Four times the text may take so many times as long; quadratic work takes sixteen."""
_CPU_S = 2.0
_CLEAR_S = 0.05
"""CPU time from which on, above the ratio, no longer text is needed to tell."""
_AGAIN_MAX = 8
"""How often what seems slow is measured again before it is said to be."""
_CERTAIN_S = 0.5
"""CPU time that no disturbance explains."""
_PUMPS_MAX = 250
_PREFERRED = "a \n0-./\"':_\t#$@(,=<[{*\\`|"
_PATHS_MAX = 24


class Pump(NamedTuple):
    prefix: str
    body: str
    suffix: str = ""
    is_repeated: bool = False

    def text(self, size: int) -> str:
        if self.is_repeated:
            whole = self.prefix + self.body
            return whole * (size // max(1, len(whole))) + self.suffix
        return self.prefix + self.body * (size // max(1, len(self.body))) + self.suffix


class _Timeout(Exception):
    pass


def slow(pattern: Any, flags: int, methods: tuple[str, ...]) -> str | None:
    """Which text takes an expression more than about linear time, with the times; None for none."""
    compiled = re.compile(pattern, flags)
    pumps = list(dict.fromkeys(_pumps(pattern, flags)))
    signal.signal(signal.SIGVTALRM, _expire)
    for pump in pumps:
        for method in methods:
            signal.setitimer(signal.ITIMER_VIRTUAL, _CPU_S)
            try:
                fault = _fault(compiled, method, pump)
            except _Timeout:
                fault = f"more than {_CPU_S:.0f} s"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if fault is not None:
                told = pump._replace(prefix=pump.prefix[:60])
                return f"{method} of {told!r}: {fault}"
    return None


def _expire(*_: object) -> None:
    raise _Timeout


def _fault(compiled: re.Pattern[Any], method: str, pump: Pump) -> str | None:
    before = _seconds(compiled, method, pump, SIZES[0])
    for size, floor in zip(SIZES[1:], _SLOW_S, strict=True):
        now = _seconds(compiled, method, pump, size)
        for _ in range(_AGAIN_MAX):
            if now <= floor or now <= _RATIO_MAX * before or now > _CERTAIN_S:
                break
            # A busy machine disturbs single measurements, not the best of some that were made in
            # turns: of an expression that is quadratic, each takes sixteen times as long.
            before = min(before, _seconds(compiled, method, pump, size // 4))
            now = min(now, _seconds(compiled, method, pump, size))
        if now <= floor or now <= _RATIO_MAX * before:
            if size == SIZES[-1] or now <= floor:
                return None
        elif size == SIZES[-1] or now > _CLEAR_S:
            return f"{size // 4} characters {before * 1000:.2f} ms, {size} {now * 1000:.2f} ms"
        before = now
    return None


def _seconds(compiled: re.Pattern[Any], method: str, pump: Pump, size: int) -> float:
    text: Any = pump.text(size)
    if isinstance(compiled.pattern, bytes):
        text = text.encode()
    is_collecting = gc.isenabled()
    gc.disable()  # A collection among a worker's objects takes longer than what is measured.
    began = time.thread_time()
    try:
        if method == "finditer":
            for _ in compiled.finditer(text):
                pass
        else:
            getattr(compiled, method)(text)
        return time.thread_time() - began
    finally:
        if is_collecting:
            gc.enable()


def _pumps(pattern: Any, flags: int) -> Iterator[Pump]:
    for body in CLASSES:
        yield Pump("", body)
        yield Pump("", body, "\0")
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    parsed = _parser.parse(text, flags & ~re.UNICODE & ~re.LOCALE)
    count = 0
    for prefix, body in dict.fromkeys(_repeats(parsed)):
        for pump in (
            Pump(prefix, body, "\0"),
            Pump(prefix, body, is_repeated=True),
            Pump("", prefix or body, "\0"),
            Pump(prefix, body, "\n"),
        ):
            count += 1
            if count > _PUMPS_MAX:
                return
            if pump.prefix or pump.body:
                yield pump


def _repeats(parsed: Any) -> Iterator[tuple[str, str]]:
    """For each repetition: a text that leads up to it, and one that it repeats."""
    for way in range(3):
        pumps: list[tuple[str, str]] = []
        whole = _walk(parsed, [""], pumps, way)
        yield from pumps
        for text in whole:
            yield text, text[-1:] or "a"
            yield "", text


def _walk(parsed: Any, prefixes: list[str], pumps: list[tuple[str, str]], way: int) -> list[str]:
    """Texts that match a sequence, each behind one of the prefixes; adds to `pumps`."""
    for op, given in parsed:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            least, most, body = given
            if most > 20:
                for each in range(3):
                    for text in _walk(body, [""], [], each)[:4]:
                        pumps += [(prefix, text) for prefix in prefixes[:6] if text]
            inner = _walk(body, prefixes, pumps, way)
            if least == 0:
                prefixes = list(dict.fromkeys([*prefixes[:8], *inner[:8]]))
            else:
                prefixes = [_again(p, inner, least) for p in inner] if least < 9 else inner
        elif op is ops.SUBPATTERN:
            prefixes = _walk(given[-1], prefixes, pumps, way)
        elif op is ops.ATOMIC_GROUP:
            prefixes = _walk(given, prefixes, pumps, way)
        elif op is ops.BRANCH:
            ends = [_walk(branch, prefixes[:3], pumps, way) for branch in given[1][:_PATHS_MAX]]
            prefixes = [
                text for some in zip(*(each[:1] for each in ends), strict=False) for text in some
            ] or prefixes
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            if given[0] > 0:
                _walk(given[1], prefixes, pumps, way)
        elif op is ops.AT:
            if given in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
                prefixes = list(dict.fromkeys([*prefixes, *(f"{p}\n" for p in prefixes[:2] if p)]))
        elif op in (ops.GROUPREF, ops.GROUPREF_EXISTS):
            continue
        else:
            letter = _letter(op, given, way)
            prefixes = [prefix + letter for prefix in prefixes]
        prefixes = list(dict.fromkeys(prefixes))[:_PATHS_MAX]
    return prefixes


def _again(text: str, _: list[str], __: int) -> str:
    return text


def _letter(op: Any, given: Any, way: int) -> str:
    """A character that matches; `way` chooses among several."""
    if op is ops.LITERAL:
        return chr(given)
    single = re.compile("(?s:.)")
    fitting = [c for c in _PREFERRED if single.match(c) and _fits(op, given, c)]
    if not fitting:
        fitting = [chr(c) for c in range(0x250) if _fits(op, given, chr(c))] or ["a"]
    return fitting[min(way, len(fitting) - 1)]


def _fits(op: Any, given: Any, letter: str) -> bool:
    if op is ops.ANY:
        return letter != "\n"
    if op is ops.NOT_LITERAL:
        return ord(letter) != given
    if op is ops.CATEGORY:
        return _in_category(given, letter)
    if op is ops.IN:
        return _in_set(given, letter)
    return True


def _in_set(members: Any, letter: str) -> bool:
    is_negated = members[0][0] is ops.NEGATE
    for op, given in members[1:] if is_negated else members:
        if (
            (op is ops.LITERAL and ord(letter) == given)
            or (op is ops.RANGE and given[0] <= ord(letter) <= given[1])
            or (op is ops.CATEGORY and _in_category(given, letter))
        ):
            return not is_negated
    return is_negated


def _in_category(category: Any, letter: str) -> bool:
    name = str(category)
    is_in = (
        letter.isspace() if "SPACE" in name
        else letter.isdigit() if "DIGIT" in name
        else letter.isalnum() or letter == "_"
    )  # fmt: skip
    return is_in != ("NOT" in name)


def main() -> None:
    """Try a share of the expressions; print which are slow, and what was collected, as JSON."""
    from tests.support.expressions import collect

    shard, shards = int(sys.argv[1]), int(sys.argv[2])
    found, unread = collect()
    faults = []
    for each in sorted(found, key=lambda each: each.place)[shard::shards]:
        fault = slow(each.pattern, each.flags, each.methods)
        if fault is not None:
            faults.append(f"{each.place} {each.pattern!r}\n  {fault}")
    tried = {"faults": faults, "places": [each.place for each in found], "unread": unread}
    sys.stdout.write(json.dumps(tried))


if __name__ == "__main__":
    main()
