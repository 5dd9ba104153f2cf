"""The plots of the results as SVG: small, and readable on a light and on a dark page."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.results import KEPT, Plot, Result

INK = "#7a7f87"
"""Of middle lightness: legible on white and on near black."""
COLOURS = ("#2f81d6", "#d9822b", "#3f9c5a", "#a371d6", "#c9515a")
_MARKS = "osD^v"


def draw(result: Result) -> None:
    """Write the plot of a result beside its figures; the same figures give the same bytes."""
    plot = result.plot
    if plot is None:
        return
    with mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": result.name,
            "font.family": "sans-serif",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            **dict.fromkeys(
                ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"),
                INK,
            ),
        }
    ):
        height = 3.0 if plot.kind == "lines" else 0.9 + 0.32 * len(_bars(plot))
        figure, axes = plt.subplots(figsize=(6.4, height), layout="constrained")
        (_lines if plot.kind == "lines" else _horizontal)(axes, plot)
        axes.set_title(plot.title, loc="left", fontsize=10)
        figure.savefig(
            KEPT / f"{result.name}.svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
        plt.close(figure)


def _lines(axes: Axes, plot: Plot) -> None:
    for number, (name, points) in enumerate(plot.series.items()):
        look = {"color": COLOURS[number % len(COLOURS)], "marker": _MARKS[number % len(_MARKS)]}
        across, up = zip(*points, strict=True)
        axes.loglog(across, up, label=name, linewidth=1.6, markersize=4, **look)
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.grid(color=INK, alpha=0.25, linewidth=0.5)
    axes.xaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(frameon=False, fontsize=8)


def _horizontal(axes: Axes, plot: Plot) -> None:
    names, values = zip(*reversed(_bars(plot)), strict=True)
    bars = axes.barh(names, values, color=COLOURS[0], height=0.6)
    axes.bar_label(bars, [_short(value) for value in values], padding=3, color=INK, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(right=max(values) * 4)
    axes.set_xlabel(plot.x)
    axes.xaxis.set_major_formatter(FuncFormatter(_short))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _bars(plot: Plot) -> list[tuple[str, float]]:
    [points] = plot.series.values()
    return [(str(name), value) for name, value in points]


def _short(value: float, _: object = None) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
