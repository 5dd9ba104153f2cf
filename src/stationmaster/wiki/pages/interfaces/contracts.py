"""Interfaces that files describe: GraphQL, remote calls of Protocol Buffers, channels of events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.interfaces import contracts
from stationmaster.wiki.facts.interfaces.contracts import Asked, Message, Service
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.pages.contents import contents
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page

GRAPHQL, RPC, EVENTS = "api/graphql", "api/rpc", "api/events"
ROWS_MAX = 120
_DOC_MAX = 160


def plan(facts: Facts) -> Iterator[Planned]:
    asked = contracts.asked(facts)
    if asked:
        yield Planned(GRAPHQL, "GraphQL API", _graphql)
        if len(asked) > ROWS_MAX:
            for sheet in contracts.asked_sheets(facts):
                title = f"GraphQL: {sheet.title}"
                yield Planned(f"{GRAPHQL}/{sheet.slug}", title, _graphql_sheet, sheet.slug)
    if contracts.services(facts):
        yield Planned(RPC, "Remote calls", _rpc)
    if contracts.channels(facts):
        yield Planned(EVENTS, "Event channels", _events)


# GraphQL


def _graphql(page: Page, facts: Facts, _: None) -> None:
    asked = contracts.asked(facts)
    roots = Counter(operation.root for operation in asked)
    counts = [md("{} {}", count, _PLURALS[root] if count > 1 else root)
            for root, count in roots.items()]  # fmt: skip
    page.summary(md("The schema has {}.", joined(counts, last=" and ")))
    types = contracts.types(facts)
    kinds = Counter(type_.kind for type_ in types)
    files = sorted({operation.path for operation in asked})
    page.glance((
        *((title.capitalize(), roots[root] or None) for root, title in _PLURALS.items()),
        ("Types", joined([md("{} {}", count, kind) for kind, count in sorted(kinds.items())])),
        ("Declared in", joined([page.cite(Place(path)) for path in files])),
    ))  # fmt: skip
    sheets = contracts.asked_sheets(facts)
    if len(asked) > ROWS_MAX:
        page.section("Operations by name")
        contents(page, GRAPHQL, sheets, "Operations")
    else:
        for sheet in sheets:
            _operations(page, sheet)
    main = sorted((type_ for type_ in types if type_.kind in ("type", "interface", "union")),
                  key=lambda type_: (-type_.count, type_.name))  # fmt: skip
    page.section("Types")
    page.table(("Type", "Kind", "Fields", "Meaning", "Declared"), [
        (code(type_.name), type_.kind, type_.count, text(type_.doc, _DOC_MAX),
         page.cite(Place(type_.path, type_.line, type_.end)))
        for type_ in main
    ])  # fmt: skip
    page.see("api/http", "data-model")


_PLURALS = {"query": "queries", "mutation": "mutations", "subscription": "subscriptions"}


def _graphql_sheet(page: Page, facts: Facts, slug: str) -> None:
    sheet = next(it for it in contracts.asked_sheets(facts) if it.slug == slug)
    operations = counted(len(sheet.items), "operation")
    page.summary(md("This page has {} of the {}.", operations, page.link(GRAPHQL, "GraphQL API")))
    _operations(page, sheet)
    page.see(GRAPHQL)


def _operations(page: Page, sheet: Sheet[Asked]) -> None:
    for part in sheet.parts:
        page.section(part.title)
        page.table(("Name", "Arguments", "Returns", "Marks", "Meaning", "Declared"), [
            (code(operation.field.name),
             joined([code(argument) for argument in operation.field.arguments]),
             code(operation.field.type),
             joined([code(it) for it in operation.field.marks if "@deprecated" not in it]),
             Md(("Deprecated. " if operation.field.is_deprecated else "")
                + text(operation.field.doc, _DOC_MAX)),
             page.cite(Place(operation.path, operation.field.line)))
            for operation in part.items
        ])  # fmt: skip


# Remote calls


def _rpc(page: Page, facts: Facts, _: None) -> None:
    services = contracts.services(facts)
    calls = sum(len(service.service.rpcs) for service in services)
    messages = contracts.messages(facts)
    page.summary(md("Protocol Buffers declare {} with {}.",
                    counted(len(services), "service"), counted(calls, "call")))  # fmt: skip
    page.glance((("Services", len(services)), ("Calls", calls), ("Messages", len(messages))))
    counts = Counter(service.name for service in services)
    for service in services:
        _service(page, service, service.path if counts[service.name] > 1 else "")
    page.section("Messages")
    page.table(("Name", "Kind", "Members", "Declared"), [_message(page, m) for m in messages])
    page.see("api/http", "architecture", "flows")


def _service(page: Page, service: Service, file: str) -> None:
    """`file` distinguishes services of one name."""
    page.section(f"{service.name} ({file})" if file else service.name)
    declared = service.service
    sentences = [text(declared.doc),
                 md("Package {}, declared at {}.", code(service.package) or "without a name",
                    page.cite(Place(service.path, declared.line, declared.end)))]  # fmt: skip
    if service.implementations:
        places = [md("{} at {}", code(name), page.cite(Place(path, line)))
                  for name, path, line in service.implementations]  # fmt: skip
        sentences.append(md("Implemented by {}.", joined(places, last=" and ")))
    page.text(*sentences)
    rows = [
        [code(rpc.name), _side(rpc.request, rpc.streams_in), _side(rpc.response, rpc.streams_out),
         code(rpc.http), text(rpc.doc, _DOC_MAX), page.cite(Place(service.path, rpc.line))]
        for rpc in declared.rpcs
    ]  # fmt: skip
    page.table(("Call", "Takes", "Returns", "HTTP", "Meaning", "Declared"), rows)


def _side(name: str, is_stream: bool) -> Md:
    return md("stream of {}", code(name)) if is_stream else code(name)


def _message(page: Page, message: Message) -> Sequence[Md | str]:
    shown = joined([code(name) for name in message.fields])
    place = page.cite(Place(message.path, message.line, message.end))
    return (code(message.name), message.kind, shown, place)


# Events


def _events(page: Page, facts: Facts, _: None) -> None:
    channels = contracts.channels(facts)
    page.summary(md("{} {} described in AsyncAPI.", len(channels),
                    "channel is" if len(channels) == 1 else "channels are"))  # fmt: skip
    page.section("Channels")
    page.table(("Channel", "Operations", "Meaning", "Described"), [
        (code(channel.route), channel.method, text(channel.doc, _DOC_MAX),
         page.cite(Place(channel.path, channel.line)))
        for channel in channels
    ])  # fmt: skip
    page.see("jobs-and-events")
