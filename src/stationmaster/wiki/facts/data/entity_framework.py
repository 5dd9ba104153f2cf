"""Tables of Entity Framework: declarations of sets, configurations and classes are joined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.stored import Column, Entity
from stationmaster.wiki.facts.data.csharp_classes import class_of, is_scalar, properties
from stationmaster.wiki.facts.model import Facts, Spot


def joined(facts: Facts, entities: Sequence[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """A table for each class that is stored, by its path. Its name is that of a `ToTable`, else
    that of its `DbSet`; its columns are those of the class and of what it owns."""
    by_class: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for path, entity in entities:
        by_class[entity.symbol.rpartition(".")[2]].append((path, entity))
    for name, group in sorted(by_class.items()):
        path, widest = max(group, key=lambda item: item[1].end - item[1].line)
        named = [entity for _, entity in group if entity.name != name]
        # The last of several has most: sets come before what is configured.
        table = max(reversed(named), key=lambda entity: entity.end - entity.line, default=widest)
        configured: dict[str, Column] = {}
        for _, entity in group:
            for column in entity.columns:
                before = configured.get(column.name, column)
                configured[column.name] = before.marked(column)
        users = tuple(path for path, _ in group)
        columns = _columns(facts, class_of(facts, name, users), configured, by_class.keys())
        yield path, msgspec.structs.replace(widest, name=table.name, columns=tuple(columns))


def _columns(
    facts: Facts, spot: Spot | None, configured: Mapping[str, Column], stored: Collection[str]
) -> Iterator[Column]:
    own = [it for it in properties(facts, spot) if "NotMapped" not in it.marks]
    named = {property_.name: property_.type for property_ in own}
    left = {key: column for key, column in configured.items() if key not in named}
    keys = {it.name for it in configured.values() if it.is_key}
    keys = keys or {it.name for it in own if "Key" in it.marks}
    keys = keys or {"Id", f"{spot.name if spot else ''}Id"}
    for property_ in own:
        if is_scalar(facts, property_):
            target = named.get(property_.name.removesuffix("Id"), "")
            yield Column(
                property_.name,
                property_.type,
                property_.name in keys,
                references=target if target in stored else "",
                line=property_.line,
                path=property_.path,
            )
            continue
        owned = properties(facts, class_of(facts, property_.type, (property_.path,)))
        if any(it.name in left for it in owned):
            for it in owned:
                left.pop(it.name, None)
                yield Column(f"{property_.name}_{it.name}", it.type, line=it.line, path=it.path)
    yield from left.values()
