"""Who works in the demo's organization, and how each of them works with agents."""

from __future__ import annotations

from typing import NamedTuple

DAYS = 60
"""Days before the first start that have data."""
OWNER = "owner@example.com"

REPOSITORIES = {
    "Payments": ("shop-api",),
    "Web": ("shop-web",),
    "Platform": ("deploy", "agent-client"),
    "Data": ("reports",),
}
"""The repositories of each team, the one that it works in most first."""


class Person(NamedTuple):
    """One member of a team. `pace` is the sessions of a usual working day, `since` and `until` are
    days of the demo, counted from its first one; `agents` are used in the order of their names,
    the first one most. `source` is how their agents' sessions arrive."""

    name: str
    team: str
    pace: float
    agents: tuple[str, ...]
    since: int = 0
    until: int = 10_000
    begins_at: int = 8
    weekends: float = 0.04
    role: str = "member"
    source: str = "transcript"

    @property
    def email(self) -> str:
        return f"{self.name}@example.com"


CLAUDE, CODEX, GEMINI, QWEN = "claude-code", "codex", "gemini-cli", "qwen-code"
COPILOT, OPENCODE, CURSOR, DROID = "copilot-cli", "opencode", "cursor", "droid"

PEOPLE: tuple[Person, ...] = (
    Person("amara.okafor", "Payments", 3.2, (CLAUDE,), role="manager", source="otlp_logs"),
    Person("bruno.ferreira", "Payments", 5.0, (CLAUDE, CODEX), begins_at=7),
    Person("chiara.conti", "Payments", 2.2, (CLAUDE,), since=9),
    Person("dmitri.volkov", "Payments", 1.2, (COPILOT,), since=20),
    Person("elif.demir", "Payments", 2.6, (CODEX,), since=5, begins_at=9, source="otlp_logs"),
    Person("farid.rahimi", "Payments", 1.0, (GEMINI,), since=34),
    Person("greta.lindqvist", "Payments", 3.0, (CLAUDE, COPILOT), since=14, until=41),
    Person("hiro.tanaka", "Payments", 0.6, (CLAUDE,), since=44, source="otlp_logs"),
    Person("ines.moreau", "Web", 2.4, (CURSOR, CLAUDE), role="manager", begins_at=9),
    Person("jonas.keller", "Web", 4.2, (CLAUDE,), since=2, begins_at=10, weekends=0.3),
    Person("kavya.iyer", "Web", 2.8, (CURSOR,), since=7),
    Person("liam.byrne", "Web", 1.6, (COPILOT,), since=12),
    Person("mei.chen", "Web", 3.4, (CLAUDE, GEMINI), since=18, source="otlp_logs"),
    Person("nadia.haddad", "Web", 1.4, (GEMINI,), since=26),
    Person("oskar.nowak", "Web", 0.9, (COPILOT, CODEX), since=38),
    Person("priya.nair", "Web", 2.0, (CLAUDE,), since=47, begins_at=7),
    Person("quentin.dubois", "Platform", 5.6, (CLAUDE, CODEX), role="manager", weekends=0.2),
    Person("rosa.jimenez", "Platform", 4.0, (CODEX,), since=3, source="otlp_logs"),
    Person("samir.aziz", "Platform", 2.6, (DROID, CLAUDE), since=10),
    Person("tuuli.korhonen", "Platform", 2.1, (OPENCODE,), since=16, begins_at=10, weekends=0.15),
    Person("uma.perera", "Platform", 1.8, (CLAUDE,), since=29),
    Person("viktor.horvat", "Platform", 3.0, (CODEX, CLAUDE), since=33, begins_at=11),
    Person("wanjiru.kamau", "Platform", 1.1, (GEMINI,), since=40),
    Person("ximena.rojas", "Data", 3.8, (GEMINI, CLAUDE), role="manager", since=1),
    Person("yusuf.kaya", "Data", 2.9, (QWEN,), since=8),
    Person("zofia.wojcik", "Data", 1.7, (CLAUDE,), since=22, source="otlp_logs"),
    Person("anders.holm", "Data", 2.3, (GEMINI,), since=11, until=52),
    Person("bianca.rossi", "Data", 1.2, (COPILOT,), since=36),
    # Two members who have not begun: coverage names them.
    Person("caleb.osei", "Data", 0.0, (CLAUDE,)),
    Person("dana.levi", "Web", 0.0, (CLAUDE,)),
)
