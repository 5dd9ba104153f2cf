"""Every metric has its row in the operations guide, and every row a metric with these labels."""

from __future__ import annotations

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families as parse

from stationmaster.api.monitoring.metrics import Metrics, Now
from stationmaster.api.services import Services
from stationmaster.lake.mover import Moved
from tests.support.servers import settings_for

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "operate.md"
ROW = re.compile(r"^\| `((?:stationmaster|process)_\w+)` \| ([\w, ]*)\|", re.MULTILINE)


def everything(metrics: Metrics) -> None:
    """Count one of each kind, so that every label is there."""
    metrics.answered("GET", "/healthz", 200, 0.001)
    metrics.shed(503, "stopping")
    metrics.took("logs", 10, {("codex", "otlp_logs", "kept"): 1})
    metrics.committed(1, 0.1)
    metrics.moved(Moved(1, 1, 1, 0.1))
    metrics.scanned("scanned")
    metrics.job_ended("ci-scan", "succeeded")
    metrics.alert_attempted("webhook", "delivered")
    metrics.publish(Now(queued=0, rolling_up=0, scanning=0, threads=2, pools={"state": (0, 1)}))


def test_the_table_of_metrics_is_complete(tmp_path: Path) -> None:
    services = Services.open(settings_for(tmp_path, "sqlite"))
    try:
        everything(services.metrics)
        page, _ = services.metrics.page("")
    finally:
        services.close()

    told = {
        re.sub(r"_(bucket|sum|count)$", "", sample.name): set(sample.labels) - {"le"}
        for family in parse(page.decode())
        for sample in family.samples
    }
    written = {
        name: set(labels.split(", ")) - {""}
        for name, labels in ((m[1], m[2].strip()) for m in ROW.finditer(GUIDE.read_text()))
    }
    assert written == told
