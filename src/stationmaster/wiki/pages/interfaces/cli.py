"""The command line: commands, their options, what runs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.model import HELP_MAX, Option
from stationmaster.wiki.facts.code import work
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.code.work import Typed
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.facts.texts.exit_statuses import exit_statuses
from stationmaster.wiki.facts.texts.manuals import (
    ON_COMMANDS,
    ON_OPTIONS,
    Section,
    manuals,
    sections_on,
)
from stationmaster.wiki.facts.texts.passages import on_commands, words_of
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.pages.contents import contents
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block, quoted

KEY = "cli"
PROGRAMS_MAX = 8
_SIGNS = ("-", "/", "+")
"""What options begin with."""
LISTED_MAX = 120
"""As many commands are listed on one page."""
SHARED_MIN = 3


def plan(facts: Facts) -> Iterator[Planned]:
    is_program = any(it.kind in ("main", "script") for it in work.begins(facts))
    is_told = is_program and on_commands(facts)
    if not (work.commands(facts) or programs(facts) or is_told):
        return
    yield Planned(KEY, "Command line", _write, version=3)
    for each in _sheets(facts):
        yield Planned(f"{KEY}/{each.slug}", f"Commands: {each.title}", _sheet, each.slug, version=2)


def _sheets(facts: Facts) -> Sequence[Sheet[Typed]]:
    """The parts of a long command line that have a page: those that say more than its list."""
    every = work.command_sheets(facts)
    is_long = _is_long(facts)
    return [
        sheet
        for sheet in (every if len(every) > 1 else ())
        if is_long or any(it.options or it.about for it in sheet.items)
    ]


def _is_long(facts: Facts) -> bool:
    """Are there too many commands to list all of them on the first page?"""
    return sum(len(sheet.items) for sheet in work.command_sheets(facts)) > LISTED_MAX


def _write(page: Page, facts: Facts, _: None) -> None:
    commands = [each for each in work.commands(facts) if not each.is_beside]
    listed = [each for each in commands if not each.framework]
    managed = [each for each in commands if each.framework]
    page.summary(*_summary(facts, commands))
    _programs(page, facts, commands)
    sheets = _sheets(facts)
    page.section("Commands by name")
    contents(page, KEY, sheets, "Commands")
    if not _is_long(facts):
        page.section("All commands" if sheets else "Commands")
        _commands(page, listed)
    if not sheets:
        _options(page, facts, listed)
    page.section("Commands of the framework")
    _commands(page, managed)
    _options(page, facts, managed)
    page.section("Options that commands share")
    _options(page, facts, work.command_bases(facts))
    page.section("Scripts beside the programs")
    beside = [each for each in work.commands(facts) if each.is_beside]
    _commands(page, beside)
    _options(page, facts, beside)
    page.section("Exit statuses")
    statuses = [
        [code(str(it.status)), code(it.name), text(it.meaning, HELP_MAX), page.cite(it.place)]
        for it in exit_statuses(facts)
    ]
    page.table(("Status", "Name", "Meaning", "Declared"), statuses)
    titles = (ON_COMMANDS,) if any(it.options for it in commands) else (ON_COMMANDS, ON_OPTIONS)
    quote_manuals(page, sections_on(facts, *titles))
    page.section("Manual pages")
    page.items([md("{}: {}", code(name), page.cite(Place(path))) for name, path in manuals(facts)])
    page.section("From the documents")
    for passage in on_commands(facts):
        page.section(passage.title, 3)
        place = Place(passage.path, passage.line, passage.end)
        page.block(page.sourced(quoted(words_of(facts, passage)), place))
    page.see("configuration", "getting-started")


def quote_manuals(page: Page, found: Sequence[Section]) -> None:
    """What sections of manual pages say."""
    page.section("From the manual pages")
    for section in found:
        page.section(f"{section.page}: {section.title.capitalize()}", 3)
        page.block(page.sourced(quoted(section.words), section.place))


def _summary(facts: Facts, commands: Sequence[Typed]) -> Iterator[Md]:
    declared = [code(each.name) for each in programs(facts)]
    if declared:
        verb = "program is" if len(declared) == 1 else "programs are"
        shown = among(declared[:PROGRAMS_MAX], len(declared))
        yield md("The product's {} {}.", verb, shown)
    options = sum(_is_typed(it) for each in commands for it in each.options)
    if commands:
        more = md(" with {}", counted(options, "option")) if options else ""
        yield md("The code declares at least {}{}.", counted(len(commands), "command"), more)
        if not any(each.options for each in commands):
            yield md("{} options were not read.", "Its" if len(commands) == 1 else "Their")
    else:
        more = "; the documents say what stands below" if on_commands(facts) else ""
        if not declared:
            yield md("No command was found in the code{}.", more)
            return
        whose = "Its" if len(declared) == 1 else "Their"
        yield md("{} commands and options were not understood in the code{}.", whose, more)


def _programs(page: Page, facts: Facts, commands: Sequence[Typed]) -> None:
    """What is typed, with where it begins, and of which of them nothing is known."""
    declared = programs(facts)
    rows = [
        (
            code(each.name),
            page.cite(Place(each.path)) if each.path else Md(""),
            page.cite(each.place),
        )
        for each in declared[:LISTED_MAX]
    ]
    page.section("Programs")
    page.table(("Program", "Begins in", "Declared"), rows)
    named = {each.program for each in commands}
    # Two names may be of the same program.
    understood = {(each.path, each.function) for each in declared if each.name in named}
    # Another one may load the same commands.
    paths = {each.path for each in commands}
    missing = [
        code(it.name)
        for it in declared
        if (it.path, it.function) not in understood
        and paths.isdisjoint(link.end for link in links_from(facts, it.path))
    ]
    if understood and missing:
        shown = among(missing[:PROGRAMS_MAX], len(missing))
        page.text(md("Commands and options of {} were not understood in the code.", shown))


def _sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet: Sheet[Typed] = next(e for e in work.command_sheets(facts) if e.slug == slug)
    parts = sheet.items
    is_long = _is_long(facts)
    commands = counted(sum(is_long or bool(it.options or it.about) for it in parts), "command")
    whole = page.link(KEY, "command line")
    if is_long:
        page.summary(md("This page has {} of the {}.", commands, whole))
        page.section("Commands")
        _commands(page, parts)
    else:
        page.summary(
            md("This page has the arguments and options of {} of the {}.", commands, whole)
        )
    _options(page, facts, parts)
    page.see(KEY)


def _commands(page: Page, found: Sequence[Typed]) -> None:
    """A function that several of them run is around what each of them does, and is not named."""
    often = Counter(each.handler for each in found)
    rows = [
        [_called(each), _meaning(each.help),
         _handler(page, each) if often[each.handler] < SHARED_MIN else Md(""),
         page.cite(Place(each.path, each.line))]
        for each in found
    ]  # fmt: skip
    page.table(("Command", "Meaning", "Runs", "Declared"), rows)


def _options(page: Page, facts: Facts, found: Sequence[Typed]) -> None:
    for each in found:
        if each.about:
            page.section(f"Help of {_name(each)}", 3)
            place = page.cite(Place(each.path, each.line))
            page.text(md("Behind its first sentence the help says, at {}:", place))
            page.block(block(each.about))
        arguments = [it for it in each.options if not (_is_typed(it) or it.is_of_package)]
        page.section(f"Arguments of {_name(each)}", 3)
        _option_table(page, facts, each, "Argument", arguments)
        page.section(f"Options of {_name(each)}", 3)
        _option_table(page, facts, each, "Option", [it for it in each.options if _is_typed(it)])
        page.items(
            md("{} adds options of the package {}, which are not listed here ({}).",
               code(it.names[0]), code(it.help), page.cite(Place(it.path or each.path, it.line)))
            for it in each.options if it.is_of_package
        )  # fmt: skip


def _option_table(
    page: Page, facts: Facts, command: Typed, head: str, found: Sequence[Option]
) -> None:
    words = command.words
    is_shared = any(option.for_all for option in found)
    others = work.commands(facts) if is_shared else ()
    has_below = any(words == it.words[: len(words)] != it.words for it in others)
    rows = [
        [
            code(" ".join(option.names)),
            _of_option(option, has_below=has_below),
            _default(option.default or ""),
            text(option.heading),
            page.cite(Place(option.path or command.path, option.line)),
        ]
        for option in found
    ]
    page.table((head, "Meaning", "Default", "Group", "Declared"), rows)


def _is_typed(option: Option) -> bool:
    """Is an option typed by its name? An argument is not."""
    return option.names[0].startswith(_SIGNS)


def _default(written: str) -> Md:
    """A default; of one that only the code tells the expression."""
    is_expression = written.startswith("{$") and written.endswith("}")
    return md("the value of {}", code(written[2:-1])) if is_expression else code(written)


def _meaning(help_: str) -> Md:
    """What a command or an option is for, with spaces for the line breaks of code."""
    return text(help_.replace("\\n", " "), HELP_MAX)


def _of_option(option: Option, *, has_below: bool) -> Md:
    """What an option is for, how often it may be given, and to which commands."""
    words = ["Repeatable."] if option.is_many else []
    words += ["Also for its subcommands."] if option.for_all and has_below else []
    help_ = f"{option.help.rstrip('.')}." if option.help and words else option.help
    return _meaning(" ".join([*filter(None, (help_,)), *words]))


def _name(each: Typed) -> str:
    return " ".join((each.below, *each.words)).strip() or each.program


def _called(each: Typed) -> Md:
    """A command with what may be typed for its last word."""
    others = joined([code(it) for it in each.aliases])
    return md("{} (also {})", code(_name(each)), others) if others else code(_name(each))


def _handler(page: Page, each: Typed) -> Md:
    if each.handler_path and (each.handler_path, each.handler_line) != (each.path, each.line):
        place = page.cite(Place(each.handler_path, each.handler_line))
        return md("{} {}", code(each.handler), place)
    return code(each.handler)
