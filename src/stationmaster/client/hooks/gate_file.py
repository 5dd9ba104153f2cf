"""The file that `gate` decides from: fetched from the server in the background, and written whole.

What is fetched is the caller's own answer of `GET …/limits/effective`. The request reports which
agents have a gate on this machine, which the server needs.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec

from stationmaster.budget_rules import has_room, is_hard
from stationmaster.client import server, unreachable
from stationmaster.client.hooks import gate
from stationmaster.client.locks import alone
from stationmaster.errors import StationmasterError

EFFECTIVE_PATH = "/api/platform/v1/limits/effective"
GATE_HEADER = "X-Stationmaster-Gate"
"""Of the request: the agents with a gate on this machine, with commas."""
_LOCK = "gate.lock"
_FOLLOWING = "gate.following"
FOLLOW_S = 20.0
"""Between two requests while something is used up: who is granted more wants to go on."""
FOLLOWED_S = 900.0
_TIMEOUT_S = 10.0
_FOREVER_MS = 2**53
_REASON_MAX = 500
_ANSWER_MAX = gate.SIZE_MAX - 1_000


class GateScope(msgspec.Struct):
    """Whose use a budget limits: the kind of scope (such as `team`), its id and name."""

    kind: str
    id: str = ""
    name: str | None = None


class GatePeriod(msgspec.Struct):
    """The period of a budget; `reset` is when the next one begins, in UTC milliseconds."""

    reset: int


class GateBudget(msgspec.Struct, rename="camel"):
    """What the gate uses of a budget; amounts in credits or 10⁻¹² dollars, null where the use of
    people is not shown."""

    id: str
    scope: GateScope
    amount: int
    currency: Literal["credits", "usd"]
    period: GatePeriod
    spent: int | None
    remaining: int | None
    at_end: Literal["refuse", "allow-models", "warn"]
    models: list[str]
    when_unreachable: Literal["allow", "refuse"]

    @property
    def is_hard(self) -> bool:
        """True where the agent may be refused once the budget is used up."""
        return is_hard(self.at_end)

    @property
    def is_used_up(self) -> bool:
        """True where nothing remains; False where the remainder is not shown."""
        return self.remaining is not None and not has_room(self.remaining, 0)


class GateAnswer(msgspec.Struct, rename="camel"):
    """The server's answer: the budgets that hold for the caller, as of a UTC millisecond."""

    as_of: int
    principal: dict[str, Any]
    budgets: list[GateBudget]


class GateFile(msgspec.Struct, rename="camel"):
    """The JSON of the file: the answer, and when it arrived by this machine's clock."""

    refreshed_at: int
    server: str
    answer: GateAnswer


class GateState(msgspec.Struct):
    """What the gate of this machine knows: when it was fetched (ms), the budgets that are used up,
    and why the last try to fetch it failed, "" where it did not."""

    refreshed_at: int | None
    used_up: list[str]
    problem: str


def refresh(folder: str) -> bool:
    """Fetch what the person's budgets allow; False where that failed, or another process does it.

    A file that is there stays until there is a newer one. Never raises for a server's fault.
    """
    place = Path(folder)
    if not place.is_dir():
        return False
    with alone(str(place / _LOCK)) as is_alone:
        if not is_alone:
            return False
        problem = _fetch(place)
        _write(place / gate.TRIED, problem.encode())
    return not problem


def follow(folder: str) -> None:
    """While a budget is used up, fetch again every FOLLOW_S, for FOLLOWED_S at most, and until
    that fails. Returns immediately where another process does it."""
    place = Path(folder)
    with alone(str(place / _FOLLOWING)) as is_alone:
        until = time.monotonic() + FOLLOWED_S
        while is_alone and time.monotonic() < until:
            stored = load(place)
            budgets = [] if stored is None else stored.answer.budgets
            is_over = any(budget.is_hard and budget.is_used_up for budget in budgets)
            if not is_over or standing(place).problem:
                return
            time.sleep(FOLLOW_S)
            if not refresh(folder):
                return


def standing(folder: Path) -> GateState:
    """What is known on this machine."""
    try:
        problem = (folder / gate.TRIED).read_text(errors="replace")
    except OSError:
        problem = "the server has not been called yet"
    stored = load(folder)
    if stored is None:
        return GateState(None, [], problem or "there is no file that can be used")
    used_up = [budget.id for budget in stored.answer.budgets if budget.is_used_up]
    return GateState(stored.refreshed_at, used_up, problem)


def load(folder: Path) -> GateFile | None:
    """The file; None where there is none that can be used."""
    try:
        text = (folder / gate.FILE).read_bytes()[: gate.SIZE_MAX]
        return msgspec.json.decode(text.partition(b"\n")[2], type=GateFile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def store(folder: Path, url: str, answer: GateAnswer) -> None:
    """Replace the earlier answer by one that has just arrived."""
    now = time.time_ns() // 1_000_000
    budgets = answer.budgets
    if any(budget.is_used_up for budget in budgets):
        quiet_until = now
    elif any(budget.is_hard and budget.when_unreachable == "refuse" for budget in budgets):
        quiet_until = now + gate.STALE_MS
    else:
        quiet_until = _FOREVER_MS
    head = f"{gate.HEAD} {now} {quiet_until}\n".encode()
    _write(folder / gate.FILE, head + msgspec.json.encode(GateFile(now, url, answer)))


def delete_use(folder: Path, agent: str) -> None:
    """Remove the mark of an agent whose gate was removed."""
    (folder / gate.SEEN / agent).unlink(missing_ok=True)


def _fetch(folder: Path) -> str:
    """Why nothing could be fetched; "" where it was."""
    try:
        credentials = server.load(folder)
        if credentials is None:
            return "no server is named: `hooks install AGENT --gate` with --url and --key"
        agents = ",".join(gate.uses(str(folder)))
        headers = {"authorization": f"Bearer {credentials.key}", GATE_HEADER: agents}
        with (
            httpx.Client(base_url=credentials.url, headers=headers, timeout=_TIMEOUT_S) as http,
            http.stream("GET", EFFECTIVE_PATH) as answer,
        ):
            content = _content(answer)
            if answer.is_error:
                return f"the server answers {answer.status_code} {answer.reason_phrase}"
        effective = msgspec.json.decode(content, type=GateAnswer)
        store(folder, credentials.url, effective)
    except _TooLarge:
        return "the server's answer is too large"
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as fault:
        return f"the server cannot be reached: {unreachable.reason(fault)}"[:_REASON_MAX]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "the server's answer has a format that this version does not support"
    except StationmasterError as fault:
        return str(fault)[:_REASON_MAX]
    return ""


class _TooLarge(Exception):
    pass


def _content(answer: httpx.Response) -> bytes:
    """The body of an answer. Raises _TooLarge for more than the file may hold."""
    content = b""
    for part in answer.iter_bytes():
        content += part
        if len(content) > _ANSWER_MAX:
            raise _TooLarge
    return content


def _write(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    draft.replace(path)
