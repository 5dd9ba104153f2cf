"""What of the coverage needs a person, in sentences."""

from __future__ import annotations

from datetime import date

from stationmaster.analytics.coverage import findings
from stationmaster.analytics.coverage.report import Coverage
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.spending.costs import UnknownModel
from stationmaster.lake.rollups.coverage import Comparison, SessionCoverage

DAYS = DayRange(date(2026, 11, 17), date(2026, 11, 20))


def test_large_numbers_have_separators() -> None:
    worst = [SessionCoverage("s1", 9_000, 12_000)]
    far = Comparison("codex", "otlp_logs", "tokens", 1_500, 2, 9_000, 12_000, 3_000, 0, worst)
    low = far._replace(figure="exact_outputs", difference=1_000)
    coverage = Coverage(DAYS, None, [], [], [], [], [], [far, low])
    model = UnknownModel("acme-1", False, ["input"], 3, "2026-11-20", 4_321, *(0,) * 5)

    problems = " ".join(findings.problems(coverage, []))
    [unpriced] = findings.unpriced([model])

    assert "reports 9,000 tokens in 1,500 sessions, 12,000 are counted" in problems
    assert "the output of 1,000 of 12,000 model calls" in problems
    assert unpriced.startswith("4,321 model calls have no whole price")
    assert "acme-1 (4,321)" in unpriced
