"""Small wikis with slots, and a model that fills them well."""

from __future__ import annotations

from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.generate import Wiki
from stationmaster.wiki.memo import Nothing
from stationmaster.wiki.prose.budget import Limits
from stationmaster.wiki.prose.enrich import Enriched, enrich
from stationmaster.wiki.prose.providers import Name
from stationmaster.wiki.prose.slots import SUMMARY, Slot
from stationmaster.wiki.written import Written
from tests.wiki.prose.models import Asked, Says, Server, said

LIMITS = Limits(10_000_000)
CITED = "“Clocks” ([`src/core/a.py:1`](source:src/core/a.py#L1))."
PLAIN = "It is 3 files with 40 lines."
BOTH: list[Name] = ["openai", "anthropic"]


class Slots(Nothing):
    """Answers that are kept in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, ...], bytes] = {}

    def get(self, *words: str) -> bytes | None:
        return self.kept.get(words)

    def keep(self, told: bytes, *words: str) -> None:
        self.kept[words] = told


def page(key: str, title: str, *more: str, files: int = 3) -> Written:
    sentences = (CITED, PLAIN.replace("3", str(files)))
    body = "\n\n".join([
        f"# {title}",
        " ".join(sentences),
        "## Key files",
        "| File | Lines |\n| --- | --- |\n| [`src/core/a.py`](source:src/core/a.py) | 20 |\n"
        "| `src/core/b.py` | 20 |",
        '*Uses*\n\n```mermaid\nflowchart TB\n  n1["core"]\n  n2["web"]\n  n2 --> n1\n```',
        *more,
        "## Related pages",
        "- [Other](other.md)",
    ])  # fmt: skip
    return Written(key, title, CITED, body + "\n", (), (), (Slot(SUMMARY, sentences),))


def wiki(*pages: Written) -> Wiki:
    return Wiki(Commit("c" * 40, 0, None, None, "demo"), pages, {})


CORE = page("modules/core", "core")
WHOLE = wiki(page("index", "demo"), CORE, page("modules/web", "web"))


async def at_once(_: float) -> None:
    """Wait for nothing."""


def fill(given: Wiki, server: Server, kept: Slots | None = None, limits: Limits = LIMITS,
         provider: Name = "openai") -> Enriched:  # fmt: skip
    return enrich(given, server.endpoint(provider), limits, kept or Slots(), sleep=at_once)


def good(asked: Asked) -> Says:
    title = asked.data["page"]
    return said(
        asked.slot,
        (f"The `{title}` part keeps its code in `src/core/a.py`.", ["f2"]),
        ("It has 3 files.", ["f1"]),
    )
