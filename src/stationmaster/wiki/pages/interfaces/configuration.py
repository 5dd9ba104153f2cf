"""What is configured from outside, where it is read, and where documents state it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.configured.environment.handed import handed
from stationmaster.wiki.facts.configured.key_variables import DOTNET
from stationmaster.wiki.facts.interfaces import settings
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.facts.setting import TITLES, Configured
from stationmaster.wiki.facts.texts.manuals import ON_SETTINGS, sections_on
from stationmaster.wiki.facts.texts.passages import on_settings, words_of
from stationmaster.wiki.facts.unread import unread_as
from stationmaster.wiki.pages.contents import contents, packages
from stationmaster.wiki.pages.interfaces.cli import quote_manuals
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import quoted

KEY = "configuration"
DOC_MAX = 320
"""Letters of what a setting means."""
LISTED_MIN = 3
"""Settings that a section names when it lists them."""
QUOTES_MAX = 8
_NAME = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+")
"""What can be no value: the name of a setting that no table has."""
ROWS_MAX = 120
"""As many settings are on one page."""


def plan(facts: Facts) -> Iterator[Planned]:
    found = settings.settings(facts)
    if not found and not on_settings(facts) and not unread_as(facts, "settings"):
        return
    yield Planned(KEY, "Configuration", _write, version=2)
    if len(found) > ROWS_MAX:
        for sheet in settings.setting_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", sheet.title, _sheet, sheet.slug)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = settings.settings(facts)
    counts = Counter(each.kind for each in found if not each.is_only_documented)
    kinds = [
        md("{}", counted(counts[kind], title.lower().removesuffix("s")))
        for kind, title in TITLES.items()
        if counts[kind]
    ]
    unnamed = handed(facts).unnamed
    page.summary(
        md("{}{} {} found.", Md("At least ") if unnamed else "", joined(kinds, last=" and "),
           "was" if counts.total() == 1 else "were")
        if kinds else "No setting was understood in the code.",
        md("Documents and examples name {} that no code was seen to read.",
           counted(len(found) - counts.total(), "further variable" if kinds else "variable"))
        if len(found) > counts.total() else "",
        md("Further variables of the environment may be read where the program makes their names: "
           "{}.", _places(page, unnamed, len(unnamed))) if unnamed else "",
        *(md("A variable whose name begins with {} sets a key, too{} ({}).", code(it.prefix),
             md(", with {} for {}", code(it.sign), code(".")) if it.sign else "",
             page.cite(Place(it.path, it.line))) for it in settings.beginnings(facts)),
        md("{} takes each key from a variable, too{}: {} from {}.", rule[0],
           ", unless a file that is added later sets it" if rule[0] == DOTNET else "",
           code(rule[1]), code(rule[2])) if (rule := settings.of_framework(facts)) else "",
        packages(page, unread_as(facts, "settings"), "settings"),
    )  # fmt: skip
    page.glance((
        ("Keys that a variable sets too",
         sum(bool(each.variable) for each in found) or None),
        ("Required", sum(each.is_needed for each in found) or None),
        ("Active by default", joined([code(it) for it in settings.active_profiles(facts)])),
        ("Files with settings", _files(page, settings.files_of_settings(facts))),
    ))  # fmt: skip
    required = [each for each in found if each.is_needed]
    if len(found) > ROWS_MAX:
        page.section("Required")
        setting_table(page, required)
        page.section("Settings by name")
        contents(page, KEY, settings.setting_sheets(facts), "Settings")
    else:
        for sheet in settings.setting_sheets(facts):
            _sections(page, sheet)
    quote_manuals(page, sections_on(facts, ON_SETTINGS))
    _documents(page, facts, found)
    page.see("getting-started", "deployment", "cli", "gaps")


def _documents(page: Page, facts: Facts, found: Sequence[Configured]) -> None:
    """What sections of documents say that are on settings. Those that list settings are named only:
    the tables have what they say."""
    names = {name for each in found for name in (each.name, each.variable)}
    names |= {name.rpartition(".")[2] for name in names}
    page.section("From the documents")
    others, count = [], 0
    for each in on_settings(facts):
        place = Place(each.path, each.line, each.end)
        unlisted = [it for it in each.names if it not in names and _NAME.fullmatch(it)]
        is_listing = len(names.intersection(each.names)) >= LISTED_MIN > len(unlisted)
        words = "" if is_listing or count == QUOTES_MAX else quoted(words_of(facts, each))
        if words:
            count += 1
            page.section(f"{each.chapter}: {each.title}" if each.chapter else each.title, 3)
            page.block(page.sourced(Md(words), place))
        else:
            others.append(md("{}: {}", each.title, page.cite(place)))
    if others:
        page.section("Further sections on settings", 3)
        page.items(others)


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = settings.setting_sheet(facts, slug)
    counted_ = counted(len(sheet.items), "setting")
    page.summary(md("This page has {} of the {}.", counted_, page.link(KEY, "configuration")))
    _sections(page, sheet)
    page.see(KEY)


def _sections(page: Page, sheet: Sheet[Configured]) -> None:
    kind = sheet.parts[0].items[0].title
    for part in sheet.parts:
        page.section(part.title if part.title == kind else f"{kind}: {part.title}")
        setting_table(page, part.items)


def setting_table(page: Page, found: Sequence[Configured]) -> None:
    """Settings with what they mean, their defaults, and where they are read and documented."""
    head = ["Name", "Meaning", "Type", "Default", "Declared at", "Read at", "Documented or set at"]
    rows: list[list[Md]] = []
    for each in found:
        places = tuple(dict.fromkeys((*each.documented, *each.set_at)))
        name = code(each.name)
        if each.variable not in ("", each.name):
            name = md("{}, variable {}", name, code(each.variable))
        reads = [it for it in each.reads if it not in each.declared]
        row = [
            name,
            text(each.doc, DOC_MAX),
            code(each.type) if each.type else Md(""),
            _default(each),
            _places(page, each.declared, len(each.declared)),
            _places(page, reads, each.count - len(each.declared)),
            _places(page, places, len(places)),
        ]
        rows.append(row)
    if all(any(row[at] for row in rows) for at in range(len(head))):  # One more than a page shows.
        head[4:6] = ["Declared and read at"]
        rows = [[*row[:4], joined([*filter(None, row[4:6])], sign="; "), row[6]] for row in rows]
    page.table(head, rows)


def _default(each: Configured) -> Md:
    """What stands in for a setting in code, and what shipped files give it, with their profiles."""
    own = code(each.default) if each.default else Md("empty" if each.default == "" else "")
    if each.is_needed:
        own = Md("required")
    elif each.condition and each.default is None:
        own = md("required {}", code(each.condition))
    elif each.has_hidden:
        own = Md("has one, not shown")
    elif each.sample and not own and not each.values:
        own = md("{} in a sample", code(each.sample))
    shipped = [(value, names) for value, names in each.values if names or value != each.default]
    if own and any(not names for _, names in shipped):
        own = md("{} in code", own)
    demanded = md("required by {}", code(each.demanded_by)) if each.demanded_by else Md("")
    return joined([*filter(None, [own]), *(
        md("{} for {}", code(value), ", ".join(names)) if names
        else md("{} in files", code(value)) if own else code(value)
        for value, names in shipped
    ), *filter(None, [Md("") if each.is_needed else demanded])])  # fmt: skip


def _places(page: Page, places: Sequence[tuple[str, int]], count: int) -> Md:
    return among([page.cite(Place(path, line)) for path, line in places[:2]], count)


def _files(page: Page, paths: Sequence[str]) -> Md:
    return joined([page.cite(Place(path)) for path in paths])
