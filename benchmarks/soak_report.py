"""What a soak found: judged by its slopes, told as a table, drawn as a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.results import ROOT, machine
from benchmarks.soak_load import Answer

PAGE = ROOT / "docs" / "reliability.md"
PLOT = ROOT / "docs" / "images" / "soak.svg"
BEGIN, END = "<!-- soak: begin -->", "<!-- soak: end -->"
MEMORY_GROWTH = 0.10
"""Over the whole run, as the regression line has it, and of its mean."""
LATENCY_GROWTH = 0.25
LATENCY_NOISE_S = 0.010
"""Growth of less than this is none, whatever share of a short time it is."""
INBOX_GROWTH_S = 5.0
"""The inbox may not grow by more than what arrives in so long."""
OVERLOAD_P99_S = 5.0
"""Of what is taken under overload: half of what a sender waits."""
MIB = 2**20


class Sample(NamedTuple):
    at: float
    phase: str
    rss: int
    uss: int
    p50: float
    p99: float
    taken: int
    refused: int
    failed: int
    inbox_rows: int
    files: int
    threads: int
    disk: int


@dataclass(frozen=True)
class Story:
    capacity: float
    """Records a second."""
    samples: list[Sample]
    warm_up_s: float
    steady: list[Answer]
    overload: list[Answer]
    recovered: list[Answer]
    acknowledged: int
    uncertain: int
    """Events of requests that were sent and never answered."""
    stored: tuple[int, int]
    """Different events in the lake, and all."""

    @property
    def judged(self) -> list[Sample]:
        """The steady samples after warming up."""
        steady = [sample for sample in self.samples if sample.phase == "steady"]
        return [each for each in steady if each.at - steady[0].at >= self.warm_up_s]

    @property
    def lost(self) -> int:
        return max(self.acknowledged - self.stored[0], 0)

    @property
    def doubled(self) -> int:
        """More in the lake than was ever sent; a copy that readers count once is none."""
        return max(self.stored[0] - self.acknowledged - self.uncertain, 0)

    @property
    def is_good(self) -> bool:
        return all(is_good for _, _, is_good in verdicts(self))


def growth(values: Sequence[tuple[float, float]]) -> float:
    """How much the least-squares line through (time, value) rises from the first to the last."""
    mean_t = sum(t for t, _ in values) / len(values)
    mean_v = sum(v for _, v in values) / len(values)
    spread = sum((t - mean_t) ** 2 for t, _ in values)
    if not spread:
        return 0.0
    slope = sum((t - mean_t) * (v - mean_v) for t, v in values) / spread
    return slope * (values[-1][0] - values[0][0])


Verdict = tuple[str, str, bool]
"""What, the figure, is it within its bound."""


def verdicts(story: Story) -> list[Verdict]:
    return [*_of_half(story), *_of_twice(story)]


def _of_half(story: Story) -> list[Verdict]:
    judged = story.judged
    rate = sum(s.taken for s in judged) / max(judged[-1].at - judged[0].at, 1)

    def line(of: Callable[[Sample], float]) -> tuple[float, float]:
        values = [(sample.at, of(sample)) for sample in judged]
        return growth(values), sum(v for _, v in values) / len(values)

    memory, uss = line(lambda s: s.uss)
    p50, p50_mean = line(lambda s: s.p50)
    inbox, inbox_mean = line(lambda s: s.inbox_rows)
    files, _ = line(lambda s: s.files)
    threads, _ = line(lambda s: s.threads)
    return [
        (
            "memory of its own (USS) at half the capacity",
            f"{uss / MIB:.0f} MiB, {memory / uss:+.1%} over the run",
            memory <= MEMORY_GROWTH * uss,
        ),
        (
            "median latency",
            f"{p50_mean * 1000:.1f} ms, {p50 * 1000:+.1f} ms over the run",
            p50 <= max(LATENCY_GROWTH * p50_mean, LATENCY_NOISE_S),
        ),
        (
            "requests in the inbox",
            f"{inbox_mean:.0f}, {inbox:+.0f} over the run",
            inbox <= INBOX_GROWTH_S * rate,
        ),
        ("open files", f"{judged[-1].files}, {files:+.1f}", files <= 5),
        ("threads", f"{judged[-1].threads}, {threads:+.1f}", threads <= 5),
        (
            "requests that failed at half the capacity",
            str(sum(a.status != 200 for a in story.steady)),
            all(a.status == 200 or a.is_refusal for a in story.steady),
        ),
    ]


def _of_twice(story: Story) -> list[Verdict]:
    p99_after = _p(story.recovered, 0.99)
    p99_before = _p(story.steady, 0.99)
    shed = [answer for answer in story.overload if answer.status != 200]
    taken = [answer for answer in story.overload if answer.status == 200]
    improper = sum(not answer.is_refusal for answer in shed)
    return [
        (
            "twice the capacity",
            f"{len(taken):,} taken (p99 {_p(taken, 0.99):.2f} s),"
            f" {len(shed) - improper:,} refused with Retry-After (p99 {_p(shed, 0.99):.2f} s),"
            f" {improper:,} failed otherwise",
            not improper and _p(taken, 0.99) <= OVERLOAD_P99_S,
        ),
        (
            "half a minute after",
            f"p99 {p99_after * 1000:.0f} ms, before {p99_before * 1000:.0f} ms;"
            f" {sum(a.status != 200 for a in story.recovered)} refused",
            all(a.status == 200 for a in story.recovered) and p99_after <= 2 * p99_before + 0.1,
        ),
        (
            "events acknowledged, lost, doubled",
            f"{story.acknowledged:,}, {story.lost}, {story.doubled}",
            story.lost == story.doubled == 0,
        ),
    ]


def _p(answers: Sequence[Answer], share: float) -> float:
    times = sorted(answer.seconds for answer in answers)
    return times[int(share * (len(times) - 1))] if times else 0.0


def line(sample: Sample) -> str:
    return (
        f"{sample.at:6.0f} s {sample.phase:9} uss {sample.uss / MIB:5.0f} MiB"
        f" p50 {sample.p50 * 1000:6.1f} p99 {sample.p99 * 1000:7.1f} ms"
        f" taken {sample.taken:6} refused {sample.refused:6} failed {sample.failed:3}"
        f" inbox {sample.inbox_rows:5} files {sample.files} threads {sample.threads}"
        f" disk {sample.disk / MIB:.0f} MiB"
    )


def tell(story: Story) -> None:
    print(_table(story))


def write(story: Story) -> None:
    """Put table and plot into the documentation."""
    _plot(story)
    page = PAGE.read_text()
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    picture = f"![A long run](images/{PLOT.name})"
    PAGE.write_text(f"{head}{BEGIN}\n{_table(story)}\n\n{picture}\n{END}{tail}")


def _table(story: Story) -> str:
    steady = [sample for sample in story.samples if sample.phase == "steady"]
    minutes = (steady[-1].at - steady[0].at) / 60
    rows = [
        f"| {what} | {figure} | {'yes' if ok else '**no**'} |"
        for what, figure, ok in verdicts(story)
    ]
    return "\n".join(
        [
            f"Capacity {story.capacity:,.0f} records a second (a closed loop);"
            f" {minutes:.0f} minutes at half of it. {machine()}",
            "",
            "| what | figure | within its bound |",
            "|---|---|---|",
            *rows,
        ]
    )


def _plot(story: Story) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    at = [sample.at / 60 for sample in story.samples]
    figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(8, 7))
    axes[0].plot(at, [s.rss / MIB for s in story.samples], label="RSS")
    axes[0].plot(at, [s.uss / MIB for s in story.samples], label="USS")
    axes[0].set_ylabel("MiB")
    axes[1].semilogy(at, [max(s.p99, 1e-4) * 1000 for s in story.samples], label="p99")
    axes[1].semilogy(at, [max(s.p50, 1e-4) * 1000 for s in story.samples], label="p50")
    axes[1].set_ylabel("ms, of those taken")
    axes[2].plot(at, [s.inbox_rows for s in story.samples], label="in the inbox")
    axes[2].plot(at, [s.refused for s in story.samples], label="refused in 10 s")
    axes[2].set_ylabel("requests")
    axes[2].set_xlabel("minutes")
    for axis in axes:
        axis.set_ylim(bottom=0 if axis is not axes[1] else None)
        axis.legend(loc="upper left")
        for sample in story.samples:
            if sample.phase == "overload":
                axis.axvspan(sample.at / 60 - 1 / 6, sample.at / 60, color="0.9", linewidth=0)
    figure.tight_layout()
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, metadata={"Date": None})
