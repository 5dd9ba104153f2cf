"""Two tools that have no command to read all sessions and end: their own loaders over a folder, as
their dashboards call them, run in each tool's own environment. Prints the tokens found as JSON.

    python transcripts_peers.py sniffly|claude-monitor FOLDER
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

NAMES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def sniffly(projects: Path) -> list[int]:
    from sniffly.core.processor import ClaudeLogProcessor

    found: Counter[str] = Counter()
    for project in sorted(projects.iterdir()):
        _, statistics = ClaudeLogProcessor(str(project)).process_logs()
        found.update(statistics["overview"]["total_tokens"])
    return [found[name] for name in ("input", "output", "cache_read", "cache_creation")]


def claude_monitor(projects: Path) -> list[int]:
    from claude_monitor.data.aggregator import UsageAggregator
    from claude_monitor.data.reader import load_usage_entries

    entries, _ = load_usage_entries(data_path=str(projects), hours_back=None)
    days = UsageAggregator(str(projects), timezone="UTC").aggregate_daily(entries)
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
    return [sum(day[name] for day in days) for name in names]


if __name__ == "__main__":
    load = {"sniffly": sniffly, "claude-monitor": claude_monitor}[sys.argv[1]]
    print(json.dumps(dict(zip(NAMES, load(Path(sys.argv[2]) / "projects"), strict=True))))
