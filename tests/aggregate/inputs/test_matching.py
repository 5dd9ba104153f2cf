"""The law of sources over random sessions whose truth is known.

A session of one agent is reported by one to four sources, each with a clock of its own. A source
gives its records the ids that others give them, ids of its own, or either by chance. It may leave
out the agent's own calls or refusals as a whole, may report a refusal as a call of unknown outcome,
and may have stopped before the session ended, or, beside one that reports all, have lost records
in between. One source may know outputs from before they were
finished alone.

Of every figure of every class at least as much counts as the source reports that reports most of
it, and never more than happened. So what any source reports in full is counted exactly.

Left out, because no evidence decides it:

- Records missing in the middle where no source reports all: of two sources with ids of their own
  nothing shows that what only one reports is not what only the other one does.
- A refusal that is only reported as a call, since the sources that know of refusals had stopped:
  nothing reports that it was one.
- Two sources with outputs from before they were finished, of calls with equal prompts and under ids
  of their own: which of the outputs belong together depends on how far each had come.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa

from stationmaster.agents.cards.ranks import precedence
from stationmaster.aggregate.engines import metrics
from stationmaster.aggregate.engines.duckdb import DuckDbEngine
from stationmaster.aggregate.keys import Keys
from stationmaster.events.model import Event, Source, event_id
from stationmaster.lake.schema import to_table
from stationmaster.pricing.credits import rates
from stationmaster.settings import Settings
from tests.aggregate.lakes import DAY, NOON

SEEDS = range(800)
"""Each of a session; all are counted at once."""
PRODUCTS = {
    "claude-code": ("claude-opus-4-5", "claude-haiku-4-5"),
    "codex": ("gpt-5.1-codex", "gpt-5.1-codex-mini"),
    "gemini-cli": ("gemini-3-pro-preview", "gemini-2.5-flash-lite"),
}
"""Agents with the models of the conversation and of their own calls."""
SOURCES: tuple[Source, ...] = ("otlp_logs", "otlp_traces", "transcript", "hook")
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
Figures = Counter[str]
ONE_SESSION = Counter({"sessions": 1})


class Fact(NamedTuple):
    """One thing that happened: what events say of it, and the class that it belongs to."""

    number: int
    kind: str
    class_: str
    ts: int
    fields: dict[str, Any]


class Reporter(NamedTuple):
    """How a source reports a session. `shared_ids`: the share of its records with ids that other
    sources give them, too; `left_out`: classes; `ends_at`: the time of its last fact."""

    source: Source
    shared_ids: float
    skew_ms: int
    left_out: frozenset[str]
    ends_at: int
    has_lower_bounds: bool
    knows_refusals: bool
    loses: float = 0
    """The share of its records that are missing."""


class Session(NamedTuple):
    seed: int
    product: str
    facts: list[Fact]
    reporters: list[Reporter]

    @property
    def user_id(self) -> str:
        return f"user_{self.seed}"


def test_sources_count_what_the_fullest_of_them_reports_and_never_more_than_happened(
    tmp_path: Path,
) -> None:
    sessions = [_session(seed) for seed in SEEDS]
    reports = {s.seed: [_reported(s, reporter) for reporter in s.reporters] for s in sessions}
    counted = _counted((e for rs in reports.values() for r in rs for e in r.values()), tmp_path)
    wrong: list[tuple[int, int, str, tuple[int, int, int]]] = []
    for session in sessions:
        truth_of = _by_class((fact, fact.fields) for fact in session.facts)
        least = _least(session, reports[session.seed], truth_of) + ONE_SESSION
        truth = _sum(truth_of.values()) + ONE_SESSION
        figures = counted[session.user_id]
        for name in sorted({*truth, *figures}):
            if not least[name] <= figures[name] <= truth[name]:
                limits = (least[name], figures[name], truth[name])
                wrong.append((len(session.facts), session.seed, name, limits))

    assert sorted(wrong) == []


def _least(session: Session, reports: list[dict[int, Event]], truth: dict[str, Figures]) -> Figures:
    """Of each class and figure what the source reports that reports most, and no more than true."""
    most: dict[str, Figures] = defaultdict(Counter)
    for report in reports:
        reported = _by_class(
            (fact, {name: getattr(report[fact.number], name) for name in fact.fields})
            for fact in session.facts
            if fact.number in report
        )
        for class_, figures in reported.items():
            most[class_] |= figures
    # A source that does not know of refusals reports calls that never ran.
    return _sum(figures & truth[class_] for class_, figures in most.items())


def _by_class(facts: Iterable[tuple[Fact, dict[str, Any]]]) -> dict[str, Figures]:
    """The figures of each class, of facts and what is reported of them."""
    by_class: dict[str, Figures] = defaultdict(Counter)
    for fact, fields in facts:
        by_class[fact.class_].update(_figures(fact.kind, fields))
    return by_class


def _sum(figures: Iterable[Figures]) -> Figures:
    total: Figures = Counter()
    for each in figures:
        total.update(each)
    return total


def _figures(kind: str, fields: dict[str, Any]) -> Figures:
    """What one event adds to the figures."""
    if kind == "model_call":
        calls = "side calls" if fields["is_auxiliary"] else "answers"
        return Counter({calls: 1} | {name: fields[name] for name in TOKENS})
    if kind == "tool_call":
        tool = fields["tool_raw"]
        if fields["decision"] == "reject":
            return Counter({f"{tool} refused": 1})
        return Counter({f"{tool}": 1, f"{tool} failed": int(fields["success"] is False)})
    return Counter({f"{kind} {fields['hook_event']}" if kind == "hook" else kind: 1})


def _session(seed: int) -> Session:
    random = Random(seed)
    product = random.choice(list(PRODUCTS))
    facts = list(_facts(random, product))
    sources = random.sample(SOURCES, random.randint(1, 4))
    unfinished = random.choice((None, sources[0]))
    reporters = [_reporter(random, source, facts, source == unfinished) for source in sources]
    last_refusal = max((f.ts for f in facts if f.class_ == "refused"), default=0)
    if not any(
        r.knows_refusals and "refused" not in r.left_out and r.ends_at >= last_refusal
        for r in reporters
    ):
        reporters = [r._replace(knows_refusals=True) for r in reporters]
    if any(_is_whole(reporter, facts) for reporter in reporters[1:]):
        reporters[0] = reporters[0]._replace(loses=random.choice((0, 0.25)))
    return Session(seed, product, facts, reporters)


def _is_whole(reporter: Reporter, facts: list[Fact]) -> bool:
    return not reporter.left_out and reporter.knows_refusals and reporter.ends_at == facts[-1].ts


def _facts(random: Random, product: str) -> Iterator[Fact]:
    """A few turns, each of a message, and answers with tool calls; some with equal figures."""
    ts, numbers = NOON, iter(range(1000))
    main, side = PRODUCTS[product]

    def fact(kind: str, class_: str, **fields: Any) -> Fact:
        nonlocal ts
        ts += random.choice((20, 2_000, 40_000))
        return Fact(next(numbers), kind, class_, ts, fields)

    side_tokens = _tokens(random, 5_000)
    calls: list[dict[str, int]] = []
    for turn in range(random.randint(1, 3)):
        ts += random.choice((0, 0, 600_000, 1_200_000))
        turn_id = f"turn{turn}"
        yield fact("user_message", "messages", turn_id=turn_id)
        if random.random() < 0.5:
            yield fact("model_call", "side", model=side, is_auxiliary=True, **side_tokens)
        for _ in range(random.randint(1, 3)):
            tokens = _call_tokens(random, calls)
            calls.append(tokens)
            yield fact("model_call", "main", model=main, is_auxiliary=False, **tokens)
            if random.random() < 0.6:
                yield from _tool_facts(random, fact, f"call{len(calls)}")
        if random.random() < 0.5:
            yield fact("hook", "hook Stop", hook_event="Stop")


def _tool_facts(random: Random, fact: Any, call_id: str) -> Iterator[Fact]:
    tool = random.choice(("Bash", "Read"))
    outcome = random.choice(("ran", "ran", "failed", "refused"))
    yield fact("hook", "hook PreToolUse", hook_event="PreToolUse")
    yield fact(
        "tool_call",
        "refused" if outcome == "refused" else "tools",
        tool_raw=tool,
        tool_call_id=call_id,
        decision="reject" if outcome == "refused" else None,
        success=None if outcome == "refused" else outcome == "ran",
    )
    if tool == "Bash" and outcome == "ran" and random.random() < 0.5:
        yield fact("git_commit", "commits", tool_call_id=call_id)


def _call_tokens(random: Random, before: list[dict[str, int]]) -> dict[str, int]:
    """Those of a new call, of one before, or of one before with another output."""
    chance = random.random()
    if not before or chance < 0.5:
        return _tokens(random, 100 * (len(before) + 1))
    earlier = random.choice(before)
    return earlier if chance < 0.75 else earlier | {"output_tokens": random.randint(2, 30)}


def _tokens(random: Random, least: int) -> dict[str, int]:
    return {
        "input_tokens": least + random.randint(0, 9),
        "output_tokens": random.randint(2, 30),
        "cache_read_tokens": random.choice((0, 10_000)),
        "cache_write_tokens": random.choice((0, 20_000)),
    }


def _reporter(
    random: Random, source: Source, facts: list[Fact], has_lower_bounds: bool
) -> Reporter:
    is_whole = random.random() < 0.6
    return Reporter(
        source,
        shared_ids=random.choice((0, 0.5, 1)),
        skew_ms=random.randint(-60_000, 60_000),
        left_out=frozenset(c for c in ("side", "refused") if random.random() < 0.25),
        ends_at=(facts[-1] if is_whole else random.choice(facts)).ts,
        has_lower_bounds=has_lower_bounds,
        knows_refusals=random.random() < 0.75,
    )


def _reported(session: Session, reporter: Reporter) -> dict[int, Event]:
    """The event of each fact, by its number, that a source reports."""
    random = Random(f"{session.seed} {reporter.source}")
    return {
        fact.number: _event(random, session, reporter, fact)
        for fact in session.facts
        if fact.ts <= reporter.ends_at
        and fact.class_ not in reporter.left_out
        and random.random() >= reporter.loses
    }


def _event(random: Random, session: Session, reporter: Reporter, fact: Fact) -> Event:
    fields = dict(fact.fields)
    key = [str(session.seed), str(fact.number)]
    if random.random() >= reporter.shared_ids:
        key.append(reporter.source)
        if random.random() < 0.75:
            fields |= {name: None for name in fields if name.endswith("_id")}
    if fact.kind == "model_call" and reporter.has_lower_bounds:
        fields["output_tokens"] = random.randint(1, fields["output_tokens"])
        fields["quality"] = "output_lower_bound"
    if fact.class_ == "refused" and not reporter.knows_refusals:
        fields["decision"] = None
    rank, group = precedence(session.product, fact.kind, reporter.source)
    return Event(
        event_id=event_id(session.product, fact.kind, *key),
        kind=fact.kind,  # type: ignore[arg-type] - the kinds above
        ts=fact.ts + reporter.skew_ms + random.randint(0, 1_000),
        product=session.product,
        source=reporter.source,
        source_rank=rank,
        source_group=group,
        user_id=session.user_id,
        user_source="email",
        session_id=f"session_{session.seed}",
        root_session_id=f"session_{session.seed}",
        **fields,
    )


def _counted(events: Iterable[Event], folder: Path) -> dict[str, Figures]:
    """The figures of each person from these events, all counted at once."""
    engine = DuckDbEngine(Settings(data_dir=folder), threads=1)
    try:
        engine.register("events", to_table(list(events)))
        counts = metrics.count(engine, Keys([DAY]), rates.card(), pa.table({}), are_few=True)[DAY]
    finally:
        engine.close()
    figures: dict[str, Figures] = defaultdict(Counter)
    users = [row["user_id"] for row in counts.slices.sort_by("slice").to_pylist()]

    def add(table: pa.Table, **names: str) -> None:
        for row in table.to_pylist():
            figures[users[row["slice"]]].update(
                {name.format(**row): row[column] for column, name in names.items()}
            )

    add(counts.tokens, **{name: name for name in TOKENS}, assistant_messages="answers")
    for row in counts.tokens.to_pylist():
        figures[users[row["slice"]]]["side calls"] += row["calls"] - row["assistant_messages"]
    add(counts.tools, calls="{tool}", failed="{tool} failed", refused="{tool} refused")
    add(counts.names, calls="hook {name}")
    add(counts.people, user_messages="user_message")
    add(counts.git, git_commits="git_commit")
    add(counts.active_sessions, is_first="sessions")
    return figures
