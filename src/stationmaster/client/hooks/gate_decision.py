"""What the gate answers an agent once budgets may be used up: a refusal, a warning, or nothing.

The rules are those of `budget_rules`, by which the server decides, too.
"""

from __future__ import annotations

import json
import time

from stationmaster.agents import cards
from stationmaster.budget_rules import allows_at_end, has_room, is_hard, is_named
from stationmaster.client.hooks.gate import SET_BACK_MS, STALE_MS

TYPE_CHECKING = False
if TYPE_CHECKING:  # Importing `typing` takes as long as all else here.
    from typing import Any

    Json = dict[str, Any]

LATELY_MS = 90_000
"""What is used up by an older answer may not be so any more."""
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


def answer(stored: bytes, options: dict[str, str], content: bytes, now: int) -> str:
    """The JSON for the agent in one line; empty where nothing is refused or warned of.

    `stored` is the JSON of the file, b"" where there is none that can be used; `options` are those
    of the hook, `content` is what the agent gave it, `now` this machine's clock in milliseconds.
    """
    is_closed = options.get("--when-unreachable") == "refuse"
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
    hard = [budget for budget in budgets if not _goes_on(budget, model)]
    if not refreshed - SET_BACK_MS <= now <= refreshed + STALE_MS:
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
    warning = [b for b in used_up if b in hard or not is_hard(b["atEnd"])]
    return "", " ".join(map(_warning, sorted(warning, key=_reset)[-2:]))


def _event(hook: Json, options: dict[str, str]) -> str:
    return hook.get("hook_event_name") or hook.get("type") or options.get("--event", "")


def _tool(hook: Json) -> str:
    return hook.get("tool_name") or hook.get("toolName") or hook.get("tool") or ""


def _model(hook: Json) -> str:
    """The model of a prompt or call; "" where the agent does not report it."""
    request = hook.get("llm_request")
    model = hook.get("model") or (request.get("model") if isinstance(request, dict) else "")
    return model if isinstance(model, str) else ""


def _applies(budget: Json, agent: str, model: str) -> bool:
    kind, name = budget["scope"]["kind"], budget["scope"]["id"]
    if kind == "agent":
        return bool(name == agent)
    if kind == "model":
        return bool(model) and is_named(model, [name])
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
    """Where the agent works, as its hook reports; Cursor has a list."""
    roots = hook.get("workspace_roots")
    return hook.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)


def _is_used_up(budget: Json) -> bool:
    """False where the use of people is not shown."""
    left = budget["remaining"]
    return left is not None and not has_room(left, 0)


def _goes_on(budget: Json, model: str) -> bool:
    """May the work go on when all is used? A model that is not known is none of those named."""
    return allows_at_end(budget["atEnd"], budget["models"] if model else (), model)


def _refusal(budget: Json, principal: Json) -> str:
    until = _moment(_reset(budget))
    rule = f" Until then these models may be used: {_models(budget)}." if budget["models"] else ""
    return (
        f"Stationmaster: the budget of {_subject(budget, principal)} is used up, "
        f"{_amounts(budget)}, until {until}.{rule} To ask for more: "
        f"{_ASK} {_plain(budget['id'])} --reason WHY"
    )


def _warning(budget: Json) -> str:
    rule = f"may be used only: {_models(budget)}" if is_hard(budget["atEnd"]) else "work continues"
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
