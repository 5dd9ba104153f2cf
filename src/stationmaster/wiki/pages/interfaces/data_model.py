"""What is stored: tables, their references to one another, and what changes their shape."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.code.stored import Column
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.data import entities, uses, written
from stationmaster.wiki.facts.data.schemas import Migrations, migrations
from stationmaster.wiki.facts.data.storage import storage
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text import diagrams
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md
from stationmaster.wiki.text.page import Page

KEY = "data-model"
FACTS_MIN = 5
WHOLE_MAX = 12
"""As many tables are shown with their columns on the first page."""
PICTURES_MAX, NAMED_MAX = 4, 8
USES_MAX = 6
"""As many functions are listed that do the same with a table."""
_USES = {"writes": "Written", "deletes": "Deleted", "reads": "Read"}


def plan(facts: Facts) -> Iterator[Planned]:
    tables = entities.stored(facts)
    if sum(1 + len(table.columns) for table in tables) < FACTS_MIN:
        return
    yield Planned(KEY, "Data model", _write, version=2)
    if len(tables) > WHOLE_MAX:
        for sheet in entities.table_sheets(facts):
            yield Planned(f"{KEY}/{sheet.slug}", f"Tables: {sheet.title}", _sheet, sheet.slug)


def _write(page: Page, facts: Facts, _: None) -> None:
    tables = entities.stored(facts)
    noun = "collection" if all(it.kind == "document" for it in tables) else "table"
    kinds = Counter(table.framework or "code" for table in tables)
    counts = [md("{} ({})", name, count) for name, count in kinds.most_common()]
    is_by_class = any(
        it.name[:1].isupper() and it.name == it.model and it.path == it.model_path for it in tables
    )
    page.summary(
        md("{} {} declared with {}.",
           counted(len(tables), noun), "is" if len(tables) == 1 else "are",
           joined(counts, last=" and ") if len(counts) > 1 else next(iter(kinds))),
        "Where the code names no table, its class is listed: the framework derives the name."
        if is_by_class else "",
    )  # fmt: skip
    links = sum(len(table.references) for table in tables)
    columns = sum(len(table.columns) for table in tables)
    page.glance((
        (f"{noun.capitalize()}s", len(tables)),
        ("Columns", f"at least {columns}" if "" in map(_count, tables) else columns),
        ("References between tables", links or None),
    ))  # fmt: skip
    _pictures(page, tables)
    _storage(page, facts)
    page.section("Tables")
    others: dict[str, list[Md]] = defaultdict(list)
    for table in tables:
        for folder in table.others:
            others[folder].append(code(table.name))
    page.items(
        md(
            "{} {} also declared in {}.",
            among(names[:NAMED_MAX], len(names)),
            "is" if len(names) == 1 else "are",
            code(folder),
        )
        for folder, names in sorted(others.items())
    )
    if len(tables) > WHOLE_MAX:
        _overview(page, facts)
    else:
        for table in tables:
            _table(page, facts, table)
    _choices(page, facts)
    _migrations(page, migrations(facts))
    page.see("configuration", "architecture", "api/http")


def _storage(page: Page, facts: Facts) -> None:
    page.section("Where data is stored")
    rows = [
        (row.name if row.is_plain else code(row.name), code(row.where), page.cite(row.place))
        for row in storage(facts)
    ]
    page.table(("What", "Where", "Source"), rows)


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = entities.table_sheet(facts, slug)
    tables = sheet.items
    share = "1 table and its" if len(tables) == 1 else f"{len(tables)} tables and their"
    page.summary(md("This page has {} columns, from the {}.", share, page.link(KEY, "data model")))
    _pictures(page, tables)
    for part in sheet.parts:
        page.section(part.title)
        for table in part.items:
            _table(page, facts, table)
    page.see(KEY)


def _overview(page: Page, facts: Facts) -> None:
    for sheet in entities.table_sheets(facts):
        for part in sheet.parts:
            page.section(part.title, 3)
            page.text(Md(f"Their columns are on {page.link(f'{KEY}/{sheet.slug}')}."))
            rows = [
                (code(item.name), _count(item), _leads(item), _declared(page, item))
                for item in part.items
            ]
            page.table(("Table", "Columns", "Refers to", "Declared"), rows)


def _count(table: entities.Stored) -> int | str:
    """How many columns a table has; '' where only a model that does not list them is there."""
    return "" if table.framework == "ActiveRecord" else len(table.columns) or ""


def _leads(table: entities.Stored) -> Md:
    return joined([code(name) for name in table.references])


def _declared(page: Page, table: entities.Stored) -> Md:
    places = []
    if table.model_path and table.model_path != table.path:
        places.append(page.cite(Place(table.model_path, table.model_line)))
    places.append(page.cite(Place(table.path, table.line, table.end)))
    return joined(places)


def _table(page: Page, facts: Facts, table: entities.Stored) -> None:
    page.section(table.key, 3)
    sentences = [_declaration(page, table)]
    module = module_of(facts, table.model_path or table.path)
    if module:
        sentences.append(Md(f"It belongs to the module {page.link(module)}."))
    page.text(*sentences)
    texts = written.of_columns(facts, table.key)
    rows = [
        (
            code(column.name),
            code(column.type),
            _marks(column),
            code(column.references),
            code(texts.get(column.name, ""), written.LETTERS_MAX),
        )
        for column in table.columns
    ]
    page.table(("Column", "Type", "Key", "Refers to", "As written"), rows)
    rules = [code(text, written.LETTERS_MAX) for text in written.of_table(facts, table.key)]
    page.text("Its declaration also states:" if rules else "")
    page.items(rules)
    _uses(page, uses.uses(facts, table.key))


def _uses(page: Page, all_uses: Sequence[uses.Use]) -> None:
    lines = []
    for verb, title in _USES.items():
        places = [
            md("{} at {}", code(use.symbol), page.cite(Place(use.path, use.line)))
            for use in all_uses
            if use.verb == verb
        ]
        if places:
            lines.append(md("{} by {}.", title, among(places[:USES_MAX], len(places))))
    page.text("Functions that name it:" if lines else "")
    page.items(lines)


def _declaration(page: Page, table: entities.Stored) -> Md:
    place = page.cite(Place(table.path, table.line, table.end))
    if table.model and table.model_path and table.model_path != table.path:
        model = page.cite(Place(table.model_path, table.model_line))
        words = "Declared at {}; in the code it is {} at {}."
        return md(words, place, code(table.model), model)
    if table.model and table.model != table.name:
        return md("Declared as {} at {}.", code(table.model), place)
    return md("Declared at {}.", place)


def _marks(column: Column) -> str:
    marks = [("primary", column.is_key), ("unique", column.is_unique and not column.is_key),
             ("foreign", bool(column.references))]  # fmt: skip
    return ", ".join(name for name, is_so in marks if is_so)


# Pictures


def _pictures(page: Page, tables: Sequence[entities.Stored]) -> None:
    by_key = {table.key: table for table in tables}
    parts = [part for part in _connected(by_key) if len(part) > 1]
    drawn = [
        picture for part in parts[:PICTURES_MAX] if (picture := _picture(by_key, part)) is not None
    ]
    page.section("How tables refer to each other")
    for picture in drawn:
        page.diagram(picture)
    if len(parts) > PICTURES_MAX:
        page.text(md("{} further groups of connected tables are not drawn.",
                     len(parts) - PICTURES_MAX))  # fmt: skip


def _picture(by_key: Mapping[str, entities.Stored], part: Sequence[str]) -> diagrams.Diagram | None:
    whole = part
    if len(part) > diagrams.TABLES_MAX:
        votes = Counter(target for key in part for target in by_key[key].references)
        part = sorted(part, key=lambda key: (-votes[key], key))[: diagrams.TABLES_MAX]
    shown = set(part)
    edges = [
        diagrams.Edge(key, target, _through(by_key, key, target))
        for key in sorted(part)
        for target in by_key[key].references
        if target in shown and target != key
    ]
    linked = {name for edge in edges for name in edge[:2]}
    caption = f"{len(linked)} tables that refer to each other"
    if len(linked) < len(whole):
        caption = f"{len(linked)} of {len(whole)} connected tables, those that most others refer to"
    return diagrams.entities(caption, {key: _shown(by_key[key]) for key in linked}, edges)


def _through(by_key: Mapping[str, entities.Stored], key: str, target: str) -> str:
    """The columns by which a table refers to another."""
    named = entities.names_of([by_key[target]])
    table = by_key[key]
    names = [it.name for it in table.columns if entities.target_of(table, it, named) == target]
    return ", ".join(names[:3]) or "refers to"


def _shown(table: entities.Stored) -> list[diagrams.Column]:
    """The columns that identify a table or refer to others."""
    return [
        diagrams.Column(column.name, column.type,
                        "PK" if column.is_key else "FK" if column.references else "UK")
        for column in table.columns
        if column.is_key or column.references or column.is_unique
    ]  # fmt: skip


def _connected(by_key: Mapping[str, entities.Stored]) -> list[list[str]]:
    """Keys of tables that refer to one another, the largest part first."""
    near: dict[str, set[str]] = {key: set() for key in by_key}
    for key, table in by_key.items():
        for target in table.references:
            if target in near:
                near[key].add(target)
                near[target].add(key)
    parts: list[list[str]] = []
    seen: set[str] = set()
    for key in sorted(near):
        if key in seen:
            continue
        part, waiting = [], [key]
        seen.add(key)
        while waiting:
            part.append(this := waiting.pop())
            fresh = sorted(near[this] - seen)
            seen.update(fresh)
            waiting += fresh
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: (-len(part), part))


# The rest of the page


def _choices(page: Page, facts: Facts) -> None:
    rows = [
        (code(choice.name), joined([code(value) for value in choice.values]),
         page.cite(Place(choice.path, choice.line, choice.end)))
        for choice in entities.choices(facts)
    ]  # fmt: skip
    page.section("Types of a few values")
    page.table(("Type", "Values", "Declared"), rows)


def _migrations(page: Page, folders: Sequence[Migrations]) -> None:
    page.section("Migrations")
    rows = [
        (code(it.folder), it.tool, it.count,
         page.cite(Place(it.last)) if it.last else "")
        for it in folders
    ]  # fmt: skip
    page.table(("Folder", "Applied by", "Files", "Last one"), rows)
