"""Variables of the environment that functions of a project ask for by what they are handed:
`expanded("CACHE_DIR")`, where `expanded` hands its parameter to `os.environ.get` or to another such
function. A method counts where what it is called on is declared as its class, or as an interface
that this implements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.settings import VIPER
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.environment.askers import Asker, Askers, Use, asker_of
from stationmaster.wiki.facts.configured.go_calls import arguments, calls, source
from stationmaster.wiki.facts.configured.go_structs import Place, Read, Structs, sources
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

_ASKING_OF_GO = {"Getenv": "os", "LookupEnv": "os", "BindEnv": VIPER, "MustBindEnv": VIPER}
"""What asks the environment, by the package whose it is."""
_SPRINTF = re.compile(r"fmt\.Sprintf\(\s*\"(\w{0,60})%s(\w{0,60})\"\s*,\s*(\w{1,60})\s*\)")
_TEXT_OF_GO = re.compile(r"\"([^\"\\]*)\"")
_SETTINGS_MAX, _UNNAMED_MAX = 2_000, 20


class Handed(NamedTuple):
    """The variables with the files that name them, and where the program makes a name."""

    reads: tuple[Read, ...]
    unnamed: tuple[Place, ...]


@query
def handed(facts: Facts) -> Handed:
    """At most 2,000 variables of Go, and as many of other languages."""
    made = (_OfGo(facts), Askers(facts))
    reads = tuple(it for of in made for it in islice(of.read(), _SETTINGS_MAX))
    unnamed = sorted({it for of in made for it in of.unnamed})
    return Handed(reads, tuple(unnamed[:_UNNAMED_MAX]))


class _OfGo(Askers):
    """`getEnv("PORT", "80")`, where `getEnv` hands what it is given to `os.Getenv`."""

    _variable = re.compile(r"[A-Za-z_]\w{1,99}")

    @cached_property
    def _paths(self) -> Sequence[str]:
        return [*sources(self._facts, ".go")]

    @cached_property
    def _structs(self) -> Structs:
        return Structs(self._facts)

    def _first(self, path: str) -> Iterator[Asker]:
        packages = bound(self._facts.code[path].imports)
        if not {"os", VIPER}.isdisjoint(packages.values()):
            text = source(self._facts, path)
            has_prefix = ".SetEnvPrefix(" in text
            for call in calls(text, _ASKING_OF_GO):
                is_theirs = packages.get(call.of) == _ASKING_OF_GO[call.name]
                # A prefix of viper stands before all names, and two names need no parameter.
                is_alone = call.of == "os" or (len(call.given) == 1 and not has_prefix)
                is_asked = is_theirs and is_alone and call.given
                if is_asked and (around := self._around(path, call.line)):
                    asker = self._asker(path, around, call.given[0])
                    yield from (asker,) if asker else ()

    def _direct(self) -> Iterator[Read]:
        return iter(())  # The reader of each file knows those.

    def _doc(self, path: str, written: str) -> str:  # noqa: ARG002 - others have comments
        return ""

    def _asker(self, path: str, function: Symbol, written: str) -> Asker | None:
        parts = self._parts(path, written)
        if parts is None:
            return None
        start = function.signature.find(f"{function.name}(") + len(function.name) + 1
        taken = [told.split()[0] for told in arguments(function.signature, start)]
        asker = asker_of(path, function, taken, parts[1])
        return asker and asker._replace(before=parts[0], after=parts[2])

    def _parts(self, path: str, written: str) -> tuple[str, str, str] | None:
        """What stands before and behind the only name in a text that is put together."""
        if made := _SPRINTF.fullmatch(written):
            return made[1], made[3], made[2]
        parts = [part.strip() for part in written.split("+")]
        names = [self._name(path, part) for part in parts]
        if names.count("") != 1:
            return None
        at = names.index("")
        return "".join(names[:at]), parts[at], "".join(names[at + 1 :])

    def _name(self, path: str, written: str) -> str:
        if literal := _TEXT_OF_GO.fullmatch(written):
            return literal[1]
        if re.fullmatch(r"(?:\w{1,60}\.)?[A-Za-z]\w{0,99}", written):
            name = told_elsewhere(self._facts, path, f"{{${written}}}")
            return "" if "{" in name else name
        return ""

    def _uses(self, asker: Asker) -> Iterator[Use]:
        """Those of a method in its package, where no other is called so."""
        folder, function = folder_of(asker.path), asker.function
        is_method = function.kind == "method" and self._structs.is_only(folder, function.name)
        for path in self._paths:
            is_near = folder_of(path) == folder
            if f"{function.name}(" not in self._facts.tree.text(path) or not (
                is_near or any(link.end == asker.path for link in links_from(self._facts, path))
            ):
                continue
            text = source(self._facts, path)
            packages = bound(self._facts.code[path].imports)
            for call in calls(text, {function.name}):
                written = f"{call.of}.{call.name}" if call.of else call.name
                is_own = is_method and is_near and call.of and call.of not in packages
                is_it = is_own or self._structs.function(written, path) == (asker.path, function)
                if is_it and asker.place < len(call.given):
                    yield Use(path, call.line, call.given)
