"""Measure everything or what is named, and write docs/benchmarks.md with its plots.

python -m benchmarks [NAME…]; `page` alone writes the page anew from the results that are kept.
"""

from __future__ import annotations

import importlib
import signal
import sys

from benchmarks import plots
from benchmarks.results import ROOT, WORK, load_all

PARTS = {
    "ingest": ("ingest", "ingest_growth", "ingest_stages", "ingest_least"),
    "rollup": ("rollup",),
    "rollup_cpu": ("rollup_cpu", "rollup_days"),
    "late": ("late",),
    "serve": ("serve", "serve_memory"),
    "serve_scale": ("serve_scale",),
    "serve_sliced": ("serve_sliced",),
    "reads": ("reads",),
    "pages": ("pages",),
    "gateway": ("gateway",),
    "reading": ("reading_ci", "reading_readiness", "reading_unmoved"),
    "commands": ("commands",),
    "transcripts": ("transcripts", "transcripts_growth"),
    "hooks": ("hooks",),
    "relay": ("relay", "relay_idle", "relay_ssh"),
}
"""Every measurement, and the results that it writes."""
_HEAD = """# Benchmarks

Written by `make bench`. Every figure stands beside its limit or peer from the same run on the
same machine; only the ratios travel.

"""


def main() -> None:
    names = sys.argv[1:] or list(PARTS)
    WORK.mkdir(exist_ok=True)
    # So that whoever ends this ends the servers that it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in names if names != ["page"] else ():
        for result in importlib.import_module(f"benchmarks.{name}").run():
            result.save()
            print(result.markdown(), flush=True)
    results = load_all(result for part in PARTS.values() for result in part)
    for result in results:
        plots.draw(result)
    page = _HEAD + "\n".join(result.markdown() for result in results)
    (ROOT / "docs" / "benchmarks.md").write_text(page)


main()
