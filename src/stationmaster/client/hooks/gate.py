"""`stationmaster hook --gate`: may this prompt, tool call or model call go on?

Decided from one local file that the background keeps fresh (see `gate_file`), never by asking a
server: an agent waits for the answer. While nothing is used up, the first line of the file says so,
and no more is read of it. A file that is missing, damaged, another user's or open to others to
write says nothing: then only a hook that was installed with `--when-unreachable refuse` refuses.
"""

from __future__ import annotations

import os
import stat
import time

from stationmaster.agents import cards

TYPE_CHECKING = False
if TYPE_CHECKING:  # Importing `typing` takes as long as all else here.
    from collections.abc import Iterable
    from typing import Any

    Json = dict[str, Any]

SEEN = "gates"
"""Below the client's folder: one empty file an agent, written when its gate runs."""
TRIED = "gate.tried"
"""When the server was last asked, and why that failed if it did."""
REFRESH_S = 60.0
FILE = "gate"
"""Below the client's folder: a line of HEAD, then the JSON that `gate_file` writes."""
HEAD = "stationmaster-gate 1"
"""Followed by two times of this machine's clock: between them nothing is refused or warned of."""
SIZE_MAX = 256 * 1024
STALE_MS = 15 * 60_000
"""An older answer of the server is not relied on: each budget says what holds then."""
LATELY_MS = 90_000
"""What is used up by an older answer may not be so any more."""
_SET_BACK_MS = 60_000
"""The clock may have been set back by this much since; by more, and an answer is not relied on."""
_PICODOLLARS = 10**12
_NAME_MAX = 200
_ASK = "stationmaster limits ask"
_UNKNOWN = (
    "Stationmaster: the state of your budgets is not known on this machine{since}, so "
    "work is refused. It is being fetched in the background: try again in a few seconds. If this "
    "persists, `stationmaster hooks status` shows the reason."
)
_OLD = (
    " This is of {} and is being fetched again: if you were granted more, try again in some "
    "seconds."
)
_WRONG = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def answer(folder: str, options: dict[str, str], content: bytes) -> str:
    """The JSON for the agent in one line; empty where nothing is refused or warned of.

    `folder` is the client's, `options` are those of the hook, `content` is what the agent gave it.
    """
    now = time.time_ns() // 1_000_000
    is_closed = options.get("--when-unreachable") == "refuse"
    try:
        first, _, stored = _read(os.path.join(folder, FILE)).partition(b"\n")
        if _is_quiet(first, now):
            return ""
    except (OSError, ValueError):
        if not is_closed:
            return ""
        stored = b""
    import json

    try:
        hook = json.loads(content)
        agent, event = options.get("--agent", ""), _event(hook, options)
        form = cards.get(agent).gate
        if form is None:
            return ""
        subject = form.events[event]
        tool, model = _tool(hook), _model(hook)
    except _WRONG:
        return ""
    if subject == "tool" and tool in form.read_only:
        return ""
    try:
        refused, warned = decide(json.loads(stored), agent, model, now, _folder(hook))
    except _WRONG:
        refused, warned = _UNKNOWN.format(since="") if is_closed else "", ""
    if refused and subject == "tool":
        refused += " Tools that only read still work."
    reply = (
        form.refusal(subject, event, refused)
        if refused
        else form.warning(subject, warned)
        if warned
        else None
    )
    return json.dumps(reply) if reply else ""


def decide(
    stored: Json, agent: str, model: str, now: int, folder: object = None
) -> tuple[str, str]:
    """Why an agent's work is refused, and what to warn of; each "" where there is nothing.

    `stored` is the JSON of the file, `model` "" where the hook does not name it, `now` this
    machine's clock in milliseconds, `folder` where the agent works. Raises one of several errors
    for JSON of another form.
    """
    effective, refreshed = stored["answer"], stored["refreshedAt"]
    budgets = [budget for budget in effective["budgets"] if _applies(budget, agent, model)]
    hard = [budget for budget in budgets if is_hard(budget) and not _is_allowed(budget, model)]
    if not refreshed - _SET_BACK_MS <= now <= refreshed + STALE_MS:
        is_closed = any(budget["whenUnreachable"] == "refuse" for budget in hard)
        return _UNKNOWN.format(since=f" since {_moment(refreshed)}") if is_closed else "", ""
    # The periods are the server's, by its own clock.
    server_now = now + effective["asOf"] - refreshed
    used_up = [
        budget
        for budget in budgets
        if _is_used_up(budget) and server_now < _reset(budget) and _is_here(budget, folder)
    ]
    refusing = [b for b in used_up if b in hard and (model or b["atEnd"] == "refuse")]
    if refusing:
        text = _refusal(max(refusing, key=_reset), effective["principal"])
        return text + ("" if now <= refreshed + LATELY_MS else _OLD.format(_moment(refreshed))), ""
    # Which model it will be is not known: those that may be used must not be refused.
    warning = [b for b in used_up if b in hard or not is_hard(b)]
    return "", " ".join(map(_warning, sorted(warning, key=_reset)[-2:]))


def is_hard(budget: Json) -> bool:
    """Does anything end with the budget?"""
    return budget["atEnd"] in ("refuse", "allow-models")


def note_use(folder: str, agent: str) -> None:
    """Leave a mark that an agent's gate has run now, for the server to be told."""
    path = os.path.join(folder, SEEN)
    os.makedirs(path, mode=0o700, exist_ok=True)
    if agent in cards.PRODUCTS:
        with open(os.path.join(path, agent), "wb"):
            pass


def uses(folder: str) -> dict[str, int]:
    """The agents whose gate was installed or has run here, with when it last did (ms)."""
    seen = {}
    for agent in cards.PRODUCTS:
        try:
            seen[agent] = os.stat(os.path.join(folder, SEEN, agent)).st_mtime_ns // 1_000_000
        except OSError:
            continue
    return seen


def is_due(folder: str) -> bool:
    """Is the file older than REFRESH_S, and so is the last try to fetch another one?"""
    now = time.time_ns() / 1e9
    ages = [_age_s(os.path.join(folder, name), now) for name in (FILE, TRIED)]
    return not any(0 <= age < REFRESH_S for age in ages)


def may_refuse(folder: str) -> bool:
    """Is something used up? False where there is no file that can be used."""
    try:
        first = _read(os.path.join(folder, FILE)).partition(b"\n")[0]
        return not _is_quiet(first, time.time_ns() // 1_000_000)
    except (OSError, ValueError):
        return False


def _age_s(path: str, now: float) -> float:
    try:
        return now - os.stat(path).st_mtime
    except OSError:
        return REFRESH_S


def _read(path: str) -> bytes:
    """Raises ValueError for what this person's own background process cannot have written."""
    # A pipe must not make the agent wait.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        is_open = os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not stat.S_ISREG(status.st_mode) or not is_ours or is_open or status.st_size > SIZE_MAX:
            raise ValueError("not written by the background process of this person")
        return os.read(handle, SIZE_MAX)
    finally:
        os.close(handle)


def _is_quiet(first: bytes, now: int) -> bool:
    words = first.decode().split()
    if " ".join(words[:2]) != HEAD:
        raise ValueError("damaged")
    return int(words[2]) - _SET_BACK_MS <= now < int(words[3])


def _event(hook: Json, options: dict[str, str]) -> str:
    return hook.get("hook_event_name") or hook.get("type") or options.get("--event", "")


def _tool(hook: Json) -> str:
    return hook.get("tool_name") or hook.get("toolName") or hook.get("tool") or ""


def _model(hook: Json) -> str:
    """The model of a prompt or call; "" where the agent does not say."""
    request = hook.get("llm_request")
    model = hook.get("model") or (request.get("model") if isinstance(request, dict) else "")
    return model if isinstance(model, str) else ""


def _applies(budget: Json, agent: str, model: str) -> bool:
    kind, name = budget["scope"]["kind"], budget["scope"]["id"]
    if kind == "agent":
        return bool(name == agent)
    if kind == "model":
        return _matches(model, [name])
    return True


def _is_here(budget: Json, folder: object) -> bool:
    """Is a budget not one of another repository than the one that the agent works in?"""
    kind, name = budget["scope"]["kind"], budget["scope"]["id"]
    if kind != "repository":
        return True
    # It loads more than an agent should wait for while there is room.
    from stationmaster.client.collecting.checkouts import Checkouts

    checkout = Checkouts().of(folder)
    return checkout is not None and checkout.repo == name


def _folder(hook: Json) -> object:
    """Where the agent works, as its hook says; Cursor has a list."""
    roots = hook.get("workspace_roots")
    return hook.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)


def _is_used_up(budget: Json) -> bool:
    """False where the use of people is not shown."""
    return budget["remaining"] is not None and budget["remaining"] <= 0


def _is_allowed(budget: Json, model: str) -> bool:
    return budget["atEnd"] == "allow-models" and _matches(model, budget["models"])


def _matches(model: str, patterns: Iterable[str]) -> bool:
    """Is a model meant by one of some patterns, as the server understands them?"""
    if not model:
        return False
    from fnmatch import fnmatchcase

    from stationmaster.model_names import parse, spellings

    names = {model.lower(), *spellings(parse(model).model)}
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns for name in names)


def _refusal(budget: Json, principal: Json) -> str:
    until = _moment(_reset(budget))
    rule = f" Until then these models may be used: {_models(budget)}." if budget["models"] else ""
    return (
        f"Stationmaster: the budget of {_subject(budget, principal)} is used up, "
        f"{_amounts(budget)}, until {until}.{rule} To ask for more: "
        f"{_ASK} {_plain(budget['id'])} --reason WHY"
    )


def _warning(budget: Json) -> str:
    rule = f"may be used only: {_models(budget)}" if is_hard(budget) else "work goes on"
    return (
        f"Stationmaster: the budget of {_subject(budget, {})} is used up, {_amounts(budget)}, "
        f"until {_moment(_reset(budget))}; {rule}."
    )


def _subject(budget: Json, principal: Json) -> str:
    kind, name = budget["scope"]["kind"], budget["scope"].get("name") or budget["scope"]["id"]
    if kind in ("user", "each-user", "service-account"):
        name = principal.get("email") or principal.get("name") or name
        return _plain(name) or "each person"
    return f"the {kind} {_plain(name)}".rstrip()


def _amounts(budget: Json) -> str:
    spent, amount = (_amount(budget[name], budget["currency"]) for name in ("spent", "amount"))
    return f"{spent} of {amount}"


def _amount(number: int, currency: str) -> str:
    return f"${number / _PICODOLLARS:,.2f}" if currency == "usd" else f"{number:,} credits"


def _models(budget: Json) -> str:
    return _plain(", ".join(budget["models"]))


def _reset(budget: Json) -> int:
    reset = budget["period"]["reset"]
    if not isinstance(reset, int):
        raise TypeError("a time is a number of milliseconds")
    return reset


def _moment(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ms / 1000))


def _plain(name: str) -> str:
    """Names are other people's, and are shown in terminals."""
    return "".join(c for c in name or "" if c.isprintable())[:_NAME_MAX]
