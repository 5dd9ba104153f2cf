"""Run all measurements or the named ones, and write them to docs/benchmarks.md."""

from __future__ import annotations

import importlib
import sys

from benchmarks.results import ROOT, WORK, load_all

NAMES = ("ingest", "rollup", "serve", "reads", "transcripts")
_HEAD = """# Benchmarks

Written by `make bench`. Every figure stands beside its limit or peer from the same run on the
same machine; only the ratios travel.

"""


def main() -> None:
    names = sys.argv[1:] or NAMES
    WORK.mkdir(exist_ok=True)
    for name in names:
        results = importlib.import_module(f"benchmarks.{name}").run()
        for result in results if isinstance(results, list) else [results]:
            result.save()
            print(result.markdown(), flush=True)
    page = _HEAD + "\n".join(result.markdown() for result in load_all())
    (ROOT / "docs" / "benchmarks.md").write_text(page)


main()
