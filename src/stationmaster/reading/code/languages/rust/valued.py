"""Names in attributes of options: texts of constants, and the values of enums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.command_lines.options import one_of
from stationmaster.reading.code.languages.inflections import kebab
from stationmaster.reading.code.languages.rust.attributes import GOING_ON, File, members
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import HELP_MAX, Option, Setting

NAME = re.compile(r"(?:\w+::)*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)")
_FORMAT = re.compile(r"(?:\w+::)*(?:formatcp|concatcp|format)!\(\s*\"([^\"\\]*)\"\s*+,?\s*+\)")
_HOLE = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
_TEXT = re.compile(r"r?#*\"((?:[^\"\\]|\\.)*+)\"#*", re.DOTALL)
_NUMBER = re.compile(r"-?\d[\d_.]*")
_BEHIND = re.compile(r"(?<!\s)\s*+\[default: ([^\[\]]{1,80})\]\s*+\Z")
"""A default that the help itself ends with."""
_CALLED = re.compile(r"[\w:]{1,100}!?\(")
_ALIASES = re.compile(r"[\w-]+")
_LISTED = re.compile(
    r"[({\s]*(?:[\w:]{0,60}PossibleValuesParser::(?:new|from)\s?\(\s?)?&?"
    r"\[((?:\s*+\"[^\"\\\n]{1,80}\"\s*+,?+){1,200}+)\s*+\][)\s]*"
)
"""Texts that a value must be one of."""
_QUOTED = re.compile(r"\"([^\"\n]+)\"")
_SHORT = ("short_alias", "visible_short_alias", "short_aliases", "visible_short_aliases")
_LONG = ("alias", "visible_alias", "aliases", "visible_aliases")


class Choices(NamedTuple):
    """The values of an enum as they are typed, and the one that is the default; '' for none."""

    values: tuple[str, ...]
    default: str


class Valued:
    """The constants and enums of a file."""

    def __init__(self, file: File) -> None:
        self._constants: dict[str, str] = {}
        self._choices: dict[str, Choices] = {}
        for item in file.items:
            name = file.part(item.node, "name")
            if item.node.type in ("const_item", "static_item"):
                value = file.part(item.node, "value")
                if text := _TEXT.fullmatch(value):
                    self._constants[name] = GOING_ON.sub("", text[1])
                elif _NUMBER.fullmatch(value) or _LISTED.fullmatch(value):
                    self._constants[name] = value
            elif item.node.type == "enum_item":
                made = file.attributes(item)
                if any(
                    "ValueEnum" in attribute.given
                    for attribute in made
                    if attribute.name == "derive"
                ):
                    self._choices[name] = _choices(file, item.node)

    def text(self, written: str | None) -> str | None:
        """The argument of an attribute, with the texts of constants; None for other expressions,
        '' where it names a constant of another file."""
        if written is None:
            return None
        if name := NAME.fullmatch(written):
            return self._constants.get(name[1], written if "_" not in name[1] else "")
        made = _FORMAT.fullmatch(written)
        if made is None:
            return None if _CALLED.match(written) and "!(" in written[:100] else written
        whole = _HOLE.sub(lambda hole: self._constants.get(hole[1], hole[0]), made[1])
        return None if "{" in whole else whole

    def option(
        self,
        name: str,
        values: Mapping[str, str | None],
        line: int,
        doc: str = "",
        type_: str = "",
        *,
        place: str = "",
        heading: str = "",
        is_many: bool = False,
    ) -> Iterator[Option | Setting]:
        """The option or argument (`place`) that attributes or methods give these values, with the
        variable of the environment that sets it. `doc` is what it is for where these do not say
        it, `type_` what it is read into. One that is hidden is not offered."""
        if values.get("hide") == "true":
            return
        choices = self._choices.get(type_, Choices((), ""))
        names = [f"-{values['short'] or name[0]}"] if "short" in values else []
        names += [f"--{values['long'] or kebab(name)}"] if "long" in values else []
        names += aliases(values) if names else ()
        meaning = self.text(values.get("long_help") or values.get("help"))
        typed = choices.values or self._typed(values)
        help_ = one_line(one_of(doc if meaning is None else meaning, typed), HELP_MAX)
        default = self._default(values, type_, choices.default)
        if default is None and (behind := _BEHIND.search(help_)):
            help_, default = help_[: behind.start()], behind[1]
        option = Option(
            tuple(dict.fromkeys(names)) or (place or kebab(name).upper(),), line, help_, default,
            is_many=is_many, heading=self.text(values.get("help_heading")) or heading,
        )  # fmt: skip
        yield option
        if "env" in values:
            env = values["env"] or name.upper()
            env = self._constants.get(env[2:-1], env)
            yield Setting(env, "env", line, default, False, option.help)

    def _typed(self, values: Mapping[str, str | None]) -> list[str]:
        """The texts that are allowed, written in place or as a constant of the file."""
        written = (values.get("value_parser") or values.get("possible_values") or "").strip("() \n")
        named = written.partition(".")[0].lstrip("&")  # `SORTS.to_vec()`
        listed = _LISTED.fullmatch(self._constants.get(named, written))
        return _QUOTED.findall(listed[1]) if listed else []

    def _default(self, values: Mapping[str, str | None], type_: str, own: str) -> str | None:
        typed = values.get("default_value_t") or ""
        if "default_value_t" in values and typed in ("", type_):  # `Mode::default()`
            return own or None
        value = values.get("default_value")
        if value is None and typed:
            is_variant = typed[0].isupper() and "_" not in typed
            value = kebab(typed) if is_variant else typed  # As it is typed.
        text = self.text(value)
        return one_line(text) if text else None


def aliases(values: Mapping[str, str | None]) -> Iterator[str]:
    """The other names of an option, as typed."""
    for keys, sign in ((_SHORT, "-"), (_LONG, "--")):
        for key in keys:
            for name in _ALIASES.findall(values.get(key) or ""):
                yield f"{sign}{name}"


def _choices(file: File, node: Node) -> Choices:
    values, default = list[str](), ""
    for child, _, made in members(file, node):
        if child.type != "enum_variant" or any("skip" in attribute.given for attribute in made):
            continue
        named = (
            attribute.given.get("name") for attribute in made if attribute.name in ("value", "clap")
        )
        value = next(filter(None, named), None) or kebab(file.part(child, "name"))
        values.append(value)
        if any(attribute.name == "default" for attribute in made):
            default = value
    return Choices(tuple(values), default)
