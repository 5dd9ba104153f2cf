"""Which sessions the people of the demo have on a day: a function of the day alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from hashlib import blake2b
from random import Random
from typing import NamedTuple

from demo_data.people import DAYS, PEOPLE, REPOSITORIES, Person

RUNS = ("basic", "mcp", "short", "ask", "denied")
"""The recorded sessions of an agent: with commits, with an MCP server and a second prompt, of one
edit, with a question to the person, with a refused tool."""
_RUN_WEIGHTS = (38, 20, 26, 10, 6)
_WEEKDAY_PACE = (0.9, 1.1, 1.15, 1.05, 0.75)
_WORKING_MINUTES = 9 * 60


class Round(NamedTuple):
    """One recorded session as a part of a longer one."""

    run: str
    start_ms: int


class Session(NamedTuple):
    """One session of a person: its rounds are minutes apart."""

    id: str
    person: Person
    agent: str
    repository: str
    branch: str
    rounds: tuple[Round, ...]
    has_pull_request: bool


def sessions_of(day: date, started: date) -> Iterator[Session]:
    """The sessions of everybody on a day, of a demo that was first started on `started`."""
    number = DAYS + (day - started).days
    for person in PEOPLE:
        yield from _of_person(person, day, number)


def _of_person(person: Person, day: date, number: int) -> Iterator[Session]:
    random = Random(f"{person.name} {number} {day.weekday()}")
    if not person.since <= number < person.until:
        return
    # People take some weeks to get used to it, and are away at times.
    settled = min(1.0, 0.35 + (number - person.since) / 28)
    pace = person.pace * settled
    if day.weekday() < 5:
        pace *= _WEEKDAY_PACE[day.weekday()]
        if Random(f"{person.name} away {number // 9}").random() < 0.06 or random.random() < 0.07:
            return
    elif random.random() < person.weekends:
        pace *= 0.5
    else:
        return
    count = int(pace) + (random.random() < pace - int(pace))
    for ordinal in range(count):
        yield _session(person, day, number, ordinal, random)


def _session(person: Person, day: date, number: int, ordinal: int, random: Random) -> Session:
    identity = _digest(f"{person.name} {number} {day} {ordinal}")
    weights = [3**-place for place in range(len(person.agents))]
    agent = random.choices(person.agents, weights)[0]
    own = REPOSITORIES[person.team]
    others = [name for names in REPOSITORIES.values() for name in names if name not in own]
    repository = random.choice(others) if random.random() < 0.08 else random.choice(own)
    minute = person.begins_at * 60 + int(random.triangular(0, _WORKING_MINUTES, 150))
    at = int(datetime.combine(day, time(), UTC).timestamp() * 1000) + minute * 60_000
    at += random.randrange(60_000)
    rounds = []
    for _ in range(1 + min(14, int(random.expovariate(1 / 4)))):
        rounds.append(Round(random.choices(RUNS, _RUN_WEIGHTS)[0], at))
        at += random.randrange(100_000, 540_000)
    branch = "main" if random.random() < 0.3 else f"{person.name.partition('.')[0]}/{identity[:4]}"
    has_commit = any(part.run in ("basic", "mcp", "ask") for part in rounds)
    is_for_review = has_commit and branch != "main" and random.random() < 0.45
    return Session(
        f"{identity[:8]}-{identity[8:12]}-4{identity[13:16]}-8{identity[17:20]}-{identity[20:32]}",
        person,
        agent,
        repository,
        branch,
        tuple(rounds),
        is_for_review,
    )


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
