"""What `collect` does, without the parser of commands, which takes as long to load as to work."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from stationmaster.agents.interface import Intake
from stationmaster.cli.configuring import configure
from stationmaster.cli.printing import collected, output
from stationmaster.cli.telemetry import destination
from stationmaster.client.collecting.looking import Advance, Collector
from stationmaster.client.collecting.reading import CollectionSummary
from stationmaster.client.collecting.sources import Sources, home_of
from stationmaster.errors import OperatorError, Unavailable

_WATCH_INTERVAL_S = 5.0
_PAUSE_MAX_S = 60.0


def run(
    data_dir: Path | None = None,
    org: str | None = None,
    url: str | None = None,
    key: str | None = None,
    watch: bool = False,
    dry_run: bool = False,
    since_ms: int = 0,
    home: Path | None = None,
    json: bool = False,
) -> None:
    """Read this machine's agent sessions and send their counts, as the options of `collect`
    define."""
    settings = configure(data_dir, url=url, key=key)
    to = destination.usual(settings, org, data_dir, may_be_none=dry_run)
    collector = Collector(
        home_of(home),
        settings.client_dir,
        to,
        since_ms,
    )
    if dry_run:
        _show(collector, json)
        return
    with _ended_by_signals(0 if watch else 143), collector.alone():
        if watch:
            _watch(collector, to.label, json)
        else:
            is_first = collector.last_news_ms is None
            found_sources, summary = _collect(collector)
            collected.print_summary(summary, to.label, collector.last_news_ms, json)
            if not summary.unreadable:
                again = collected.result(
                    CollectionSummary(), to.label, collector.last_news_ms, json
                )
                collector.remember(found_sources, again)
            if is_first and summary.files and not json:
                collected.print_next(isinstance(to, destination.ToServer), data_dir)


def _watch(collector: Collector, label: str, json: bool) -> None:
    last_fault, pause_s = "", _WATCH_INTERVAL_S
    while True:
        try:
            _, summary = _collect(collector)
        except (Unavailable, OperatorError) as fault:
            # Once for each fault, and less and less often while nothing helps.
            if fault.detail != last_fault:
                output.remark(fault.detail)
            last_fault, pause_s = fault.detail, min(2 * pause_s, _PAUSE_MAX_S)
        else:
            last_fault, pause_s = "", _WATCH_INTERVAL_S
            if summary.files:
                collected.print_summary(summary, label, collector.last_news_ms, json)
        _wait(pause_s)


def _wait(seconds: float) -> None:
    time.sleep(seconds)


def _collect(collector: Collector) -> tuple[Sources, CollectionSummary]:
    collector.refresh_gate()
    found_sources = collector.find()
    summary = CollectionSummary()
    with _progress_bar(found_sources) as advance:
        for part in collector.collect(found_sources):
            summary.add(part)
            advance(part.size_bytes)
    collector.send_hooks()
    return found_sources, summary


@contextmanager
def _progress_bar(found_sources: Sources) -> Iterator[Advance]:
    """A bar on a terminal; nothing elsewhere."""
    if not (found_sources.sessions and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=sum(file.size for file in found_sources.sessions))
        yield lambda size: bar.advance(task, size)


class _Shown:
    """A sink that sends nothing: every event as it would leave, or counts of them."""

    def __init__(self, every: bool) -> None:
        self._every = every
        self._encode = msgspec.json.Encoder().encode
        self.counts: Counter[tuple[str, str]] = Counter()

    def deliver(self, product: str, intake: Intake) -> None:
        """Count events by product and kind, and print each as a line of JSON where wanted."""
        for event in intake.events:
            self.counts[product, event.kind] += 1
            if self._every:
                sys.stdout.write(self._encode(event).decode() + "\n")

    def post_events(self, lines: bytes) -> None:
        """Count events, one JSON object a line, and print each where wanted."""
        for line in lines.splitlines():
            head = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            self.counts[_text(head["product"]), _text(head["kind"])] += 1
            if self._every:
                sys.stdout.write(line.decode() + "\n")

    def close(self) -> None:
        pass


def _text(raw: msgspec.Raw) -> str:
    return msgspec.json.decode(raw, type=str)


def _show(collector: Collector, every: bool) -> None:
    sink, summary = _Shown(every), CollectionSummary()
    for part in collector.read(collector.find(), sink):
        summary.add(part)
    if not every:
        rows = [(*key, count) for key, count in sorted(sink.counts.items())]
        output.as_table(("agent", "kind", "events"), rows)
    collected.print_summary(summary, None, collector.last_news_ms, json=False)
    output.remark("nothing was sent")


@contextmanager
def _ended_by_signals(code: int) -> Iterator[None]:
    """Let the system end us at any point as we would end ourselves, with this exit code."""

    def end(*_: object) -> None:
        raise SystemExit(code)

    with ExitStack() as stack:
        for number in (signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
            before = signal.signal(number, end)
            stack.callback(signal.signal, number, before)
        yield
