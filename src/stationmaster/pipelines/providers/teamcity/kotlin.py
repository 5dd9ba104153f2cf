"""Kotlin settings of TeamCity: classes, objects, functions, and what is made of them.

Kotlin is not run. A value is known where it is a literal, or a parameter that is given one; a class
is a build configuration once for each object of it and for each place that makes an instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from stationmaster.pipelines.model import Place
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
    Code,
    Group,
    Item,
    Word,
    arguments_of,
    between_commas,
    calls,
    groups,
    is_mark,
    literal,
)
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

BUILD = re.compile(r"\w{0,200}Build(?:Type)?")
"""Names of classes that are build configurations although nothing declares them here."""
TEMPLATE = "Template"
_FILES_MAX = 300
_INSTANCES_MAX = 500
_LEVELS_MAX = 10
_MODIFIERS_MAX = 4
_LEAST = 1_000
_READ_MAX = 6_000_000
"""Characters of all settings of a commit, each counted for every instance and call that it is read
for: some seconds at worst."""
_OPEN = frozenset({"open", "abstract", "sealed"})
_NO_INSTANCES = frozenset({"abstract", "sealed"})
_NAMED = re.compile(r"\$(?:\{(\w{1,100})\}|(\w{1,100}))")

Values = Mapping[str, str]
"""Parameters whose values are literals."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of code."""

    path: str
    code: Code

    def place(self, at: int) -> Place:
        """The line and column of an offset in the file, from 1, with its path."""
        place = self.code.place(at)
        return Place(place.line, place.column, self.path)


@dataclass(frozen=True, slots=True)
class Function:
    """Its parameters with their defaults, and what it does."""

    source: Source
    parameters: Mapping[str, list[Item]]
    items: list[Item]


@dataclass(frozen=True, slots=True)
class Class:
    """A class, or an object, of which there is one. `base` and its arguments as written."""

    source: Source
    name: str
    at: int
    is_object: bool
    modifiers: frozenset[str]
    parameters: Mapping[str, list[Item]]
    base: str
    arguments: list[Item]
    items: list[Item]


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings of one class of a configuration, with what its parameters are."""

    source: Source
    items: list[Item]
    values: Values = field(default_factory=dict)

    def filled(self, text: str | None) -> str | None:
        """A text with the values of parameters in it; what is not known stays as written."""
        if text is None or not self.values:
            return text

        def value(match: re.Match[str]) -> str:
            return self.values.get(match[1] or match[2], match[0])

        return _NAMED.sub(value, text)


@dataclass(frozen=True, slots=True)
class Instance:
    """A build configuration or template: its layers, those of bases first. `name` is the object's,
    empty for what only its own settings name."""

    name: str
    at: int
    source: Source
    layers: tuple[Layer, ...]
    is_template: bool = False


class Settings:
    """All Kotlin of the folder `.teamcity` of one commit, read when first asked."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._left = _READ_MAX

    @property
    def is_cut(self) -> bool:
        """Were there more instances or calls than may be read?"""
        return self._left < 0

    def _affords(self, *sources: Source) -> bool:
        self._left -= sum(max(len(source.code.source), _LEAST) for source in sources)
        return self._left >= 0

    def of(self, path: str) -> Source:
        """Raises Fault."""
        source = self._sources.get(path)
        return source or Source(path, Code(self._files.content(path, SIZE_MAX)))

    @cached_property
    def _sources(self) -> dict[str, Source]:
        named = (path for path in self._files.paths() if is_kotlin(path))
        sources = {}
        for path in islice(named, _FILES_MAX):
            try:
                sources[path] = Source(path, Code(self._files.content(path, SIZE_MAX)))
            except Fault:
                continue  # The file's own record states its fault.
        return sources

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions of all files, by name."""
        return {
            name: function
            for source in self._sources.values()
            for name, function in _functions(source)
        }

    @cached_property
    def _classes(self) -> dict[str, Class]:
        sources = [class_ for source in self._sources.values() for class_ in declared(source)]
        return {class_.name: class_ for class_ in sources if not class_.is_object}

    @cached_property
    def _made(self) -> dict[str, list[tuple[Source, Call]]]:
        """The calls that make an instance of a class, by its name."""
        by_name: dict[str, list[tuple[Source, Call]]] = {}
        for source in self._sources.values():
            for name, call in _makes(source, self._classes):
                by_name.setdefault(name, []).append((source, call))
        return by_name

    def instances(self, source: Source) -> Iterator[Instance]:
        """What a file declares: objects, and classes as often as instances of them are made.

        A class that nothing seen makes an instance of is a template, unless it is only a base.
        """
        for class_ in declared(source):
            kind = self._kind(class_, 0)
            if kind is None:
                continue
            if kind == TEMPLATE or class_.is_object:
                layers = tuple(self._layers(class_, {}, 0))
                yield Instance(class_.name, class_.at, source, layers, kind == TEMPLATE)
            elif not class_.modifiers & _NO_INSTANCES:
                made = self._made.get(class_.name, ())
                for where, call in made[:_INSTANCES_MAX]:
                    arguments = dict(_bound(class_.parameters, call.arguments, call.named, {}))
                    layers = tuple(self._layers(class_, arguments, 0))
                    if self._affords(*(layer.source for layer in layers)):
                        yield Instance("", call.at, where, layers)
                if not made and "open" not in class_.modifiers:
                    yield Instance(
                        class_.name, class_.at, source, tuple(self._layers(class_, {}, 0)), True
                    )

    def _kind(self, one: Class, level: int) -> str | None:
        """`BuildType` or `Template`, from which a class inherits; None for another."""
        if one.base == TEMPLATE:
            return TEMPLATE
        base = self._classes.get(one.base)
        if base is None:
            return "BuildType" if BUILD.fullmatch(one.base) else None
        # Another class is final, so a class that inherits from it does not compile.
        is_open = bool(base.modifiers & _OPEN) and level < _LEVELS_MAX
        return self._kind(base, level + 1) if is_open else None

    def _layers(self, one: Class, values: Values, level: int) -> Iterator[Layer]:
        base = self._classes.get(one.base)
        if base is not None and level < _LEVELS_MAX:
            arguments, named = arguments_of(one.arguments)
            bound = dict(_bound(base.parameters, arguments, named, values))
            yield from self._layers(base, bound, level + 1)
        yield Layer(one.source, one.items, values)

    def expanded(
        self, layer: Layer, items: list[Item], level: int = 0
    ) -> Iterator[tuple[Layer, Call]]:
        """The calls at this level; for one of a function of the settings, what that does."""
        for call in calls(items):
            function = self.functions.get(call.name)
            if function is None or call.is_assignment:
                yield layer, call
                continue
            if level >= _LEVELS_MAX or not self._affords(function.source):
                continue
            values = dict(_bound(function.parameters, call.arguments, call.named, layer.values))
            inner = Layer(function.source, function.items, values)
            yield from self.expanded(inner, function.items, level + 1)


def is_kotlin(path: str) -> bool:
    """True for the path of a Kotlin file below `.teamcity`."""
    return path.startswith(".teamcity/") and path.endswith((".kt", ".kts"))


def words(code: Code) -> Iterator[tuple[Word, list[Item], int]]:
    """All words of a file, at any depth, each with the list that contains it, and its index."""
    for items in (code.items, *(group.items for group in groups(code.items))):
        for at, item in enumerate(items):
            if isinstance(item, Word):
                yield item, items, at


def item_at(items: list[Item], at: int) -> Item | None:
    """The item at an index, None outside the list."""
    return items[at] if 0 <= at < len(items) else None


def declared(source: Source) -> Iterator[Class]:
    """`object X : Base({ … })`, `open class X(a: String) : Base({ … })`."""
    for word, items, at in words(source.code):
        if word.text in ("object", "class"):
            one = _declared(source, items, at)
            if one is not None:
                yield one


def _declared(source: Source, items: list[Item], at: int) -> Class | None:
    keyword, name = items[at], item_at(items, at + 1)
    after = at + 2
    parameters = item_at(items, after)
    if isinstance(parameters, Group):
        after += 1
    colon, base = item_at(items, after), item_at(items, after + 1)
    if not (is_mark(colon, ":") and isinstance(base, Word)):
        return None
    if not isinstance(name, Word) or not isinstance(keyword, Word):
        return None
    following = [item for item in items[after + 2 : after + 4] if isinstance(item, Group)]
    arguments = following[0].items if following and following[0].bracket == "(" else []
    return Class(
        source,
        name.text,
        name.at,
        keyword.text == "object",
        frozenset(_modifiers(items, at)),
        _parameters(parameters),
        base.text,
        arguments,
        body(following) or [],
    )


def _modifiers(items: list[Item], at: int) -> Iterator[str]:
    for item in reversed(items[max(0, at - _MODIFIERS_MAX) : at]):
        if not isinstance(item, Word):
            return
        yield item.text


def body(arguments: list[Group]) -> list[Item] | None:
    """The content of the braces, which may be the last argument, or contain an `init`."""
    for group in reversed(arguments):
        if group.bracket == "{":
            init = next((call.body for call in calls(group.items) if call.name == "init"), None)
            return group.items if init is None else init.items
        inner = [item for item in group.items if isinstance(item, Group) and item.bracket == "{"]
        if inner:
            return inner[-1].items
    return None


def _functions(source: Source) -> Iterator[tuple[str, Function]]:
    """`fun name(…) { … }`, `fun Receiver.name(…): Type = …`."""
    for word, items, at in words(source.code):
        name, parameters = item_at(items, at + 1), item_at(items, at + 2)
        if word.text == "fun" and isinstance(name, Word) and isinstance(parameters, Group):
            inner = _function_body(items, at + 3)
            yield name.text.rpartition(".")[2], Function(source, _parameters(parameters), inner)


def _function_body(items: list[Item], at: int) -> list[Item]:
    """The items in its braces, or those behind its `=`, which end with the line."""
    begins: int | None = None
    for number in range(at, len(items)):
        item = items[number]
        if begins is None and isinstance(item, Group) and item.bracket == "{":
            return item.items
        if is_mark(item, "=") and begins is None:
            begins = number + 1
        elif is_mark(item, "\n") and begins not in (number, None):
            return items[begins:number]
    return [] if begins is None else items[begins:]


def _parameters(group: Item | None) -> dict[str, list[Item]]:
    """By name, in their order, with the default of one that is missing."""
    parameters: dict[str, list[Item]] = {}
    if not isinstance(group, Group):
        return parameters
    for part in between_commas(group.items):
        for number, item in enumerate(part):
            before = part[number - 1] if number else None
            if is_mark(item, ":") and isinstance(before, Word):
                marks = (n for n in range(number, len(part)) if is_mark(part[n], "="))
                default = next(marks, len(part)) + 1
                parameters[before.text] = part[default:]
                break
    return parameters


def _bound(
    parameters: Mapping[str, list[Item]],
    arguments: list[list[Item]],
    named: Mapping[str, list[Item]],
    outer: Values,
) -> Iterator[tuple[str, str]]:
    """The parameters whose values are literals or numbers, or known around the call."""
    values = dict(outer)
    for place, (name, default) in enumerate(parameters.items()):
        argument = named.get(name) or (arguments[place] if place < len(arguments) else default)
        # A default may name an earlier parameter.
        value = _value(argument, values if argument is default else outer)
        if value is not None:
            values[name] = value
            yield name, value


def _value(items: list[Item], values: Values) -> str | None:
    if (text := literal(items)) is not None:
        return Layer(_NOWHERE, [], values).filled(text)
    if len(items) == 1 and isinstance(items[0], Word):
        word = items[0].text
        return word if word[:1].isdigit() or word in ("true", "false") else values.get(word)
    return None


def _makes(source: Source, classes: Mapping[str, Class]) -> Iterator[tuple[str, Call]]:
    """Calls of classes that are not the bases of others."""
    for word, items, at in words(source.code):
        group, before = item_at(items, at + 1), item_at(items, at - 1)
        is_declared = is_mark(before, ":")
        is_declared |= isinstance(before, Word) and before.text in ("class", "fun")
        is_call = isinstance(group, Group) and group.bracket == "(" and not is_declared
        if word.text in classes and is_call and isinstance(group, Group):
            arguments, named = arguments_of(group.items)
            yield word.text, Call(word.text, word.at, arguments, named)


_NOWHERE = Source("", Code(b""))
