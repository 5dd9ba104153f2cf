"""Languages as tools see them: the families of the catalogue that an application is written in."""

from __future__ import annotations

from stationmaster.catalogue import lists
from stationmaster.catalogue.families import by_member
from stationmaster.reading.projects.model import App


def family(app: App) -> str | None:
    """What an application is mostly written in; None where it has no code."""
    return next(iter(families(app)), None)


def language_of(app: App) -> str:
    """How sentences call what an application is written in: C by its own name, not its family's."""
    main = family(app) or ""
    return next(iter(_code(app)), main) if main == "C++" else main


def families(app: App) -> dict[str, None]:
    """All that it has code in, the most frequent first."""
    return {by_member().get(language, language): None for language in _code(app)}


def _code(app: App) -> list[str]:
    """Its languages without those of markup and data, in which no program is written."""
    return [language for language in app.languages if language not in lists.words("markup")]
