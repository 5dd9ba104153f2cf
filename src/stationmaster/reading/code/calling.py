"""The methods that a call may run, by the declared type of its receiver.

Types and methods are identified by file and qualified name. An ambiguous call is not resolved.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from stationmaster.catalogue import code as catalogue
from stationmaster.reading.code import overloads
from stationmaster.reading.code.kinds import LEVELS_MAX, Kinds
from stationmaster.reading.code.languages.go.implementing import Place
from stationmaster.reading.code.languages.receivers import unwrapped, without_arguments
from stationmaster.reading.code.model import Call, FileFacts, Symbol

PARTS_MAX = 5
"""Of what a call is made on: `a.b.c`."""
_PARTS = re.compile(r"\??\.|!\.|->|::")
_WORD = re.compile(r"[\w$@#]+")
_OWN = frozenset({"self", "this", "cls", "Self", "static"})
_OF_ITSELF = frozenset({"Self", "self", "static", "this", "cls()"})
"""Results that are of the type that a method is called on, or declared in."""
INSTANCE = re.compile(r"(?:get_?)?(?:shared_?)?instance", re.IGNORECASE)
"""What a class is asked for the one object of it."""
_EXPLICIT = (".py", ".pyi", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".php")
"""Files in which a field is never used without its object."""
_MAKING = (".js", ".mjs", ".cjs")
_OF_WRAPPERS = catalogue.names("rust.language.wrapping")
_GENERIC = re.compile(r"[<\[(].*$", re.DOTALL)
_LITERAL = re.compile(r"\(?&?((?:\w{1,80}\.)?\w{1,80})\{.*\}\)?")
"""A value of Go on which a method is called where it is written."""
_AWAITED = re.compile(r"^await\s+|\.await\b")


class Types(Kinds):
    """The types of expressions of some files. `declared` returns the place of a dotted name as a
    file writes it."""

    def __init__(
        self, code: Mapping[str, FileFacts], declared: Callable[[str, str], Place | None]
    ) -> None:
        super().__init__(code)
        self._declared = declared
        self._resolving: set[tuple[str, str, str]] = set()
        self._is_of_wrapper = False  # Is it a method of an `Option` or the like itself?
        self._types_of: dict[tuple[str, str, str, bool], Place | None] = {}
        """Types of expressions that were resolved before."""
        self._holds: dict[Place, dict[str, str]] = defaultdict(dict)
        for path, facts in code.items():
            for variable in facts.typed:
                self._holds[path, variable.holder][variable.name] = variable.type
        self._fields: dict[str, list[Place]] = defaultdict(list)
        """The types of Rust by the names of their fields."""
        self._methods = frozenset().union(*self._members.values())
        """All names of methods; most calls have another name."""
        for place, symbol in self._kinds.items():
            bases = dict.fromkeys(self._type(place[0], base) for base in _above(symbol))
            self._bases[place] = tuple(base for base in bases if base and base != place)
            for base in self._bases[place]:
                self._below[base].append(place)
        self.implementers = self._with_interfaces()
        """The types of Go that implement its interfaces."""

    def method(self, path: str, call: Call, *, is_for_type: bool = False) -> tuple[Place, ...]:
        """The methods that a call on a receiver may run: that of the declared type first, then
        those that override or implement it; () where the type is not known. `is_for_type`: only
        the type of the result counts, so any of several overloads with one result will do."""
        if call.name not in self._methods:
            return ()
        holder = self._holder(path, call.caller)
        place: Place | None
        if call.of in ("super", "super()", "parent"):
            above = [self._member(base, call) for base in self._bases.get(holder, ())]
            return tuple((member[0], member[1].qualified) for member in above if member)[:1]
        before = self._is_of_wrapper
        self._is_of_wrapper = path.endswith(".rs") and call.name in _OF_WRAPPERS
        place = self.type_of(path, call.caller, call.of) if call.of else None
        self._is_of_wrapper = before
        if not call.of and not path.endswith(_EXPLICIT):
            place = holder
        if place is None and "." in call.of and path.endswith(".rs"):
            place = self._of_field(call)
        own = self._member(place, call, is_for_type=is_for_type) if place else None
        if place is None or own is None:
            return ()
        home = self._home(*place)
        below = self._implemented(home, own[1]) if home in self._kinds else ()
        ends = dict.fromkeys(((own[0], own[1].qualified), *below))
        return tuple(ends)

    def choices(self, path: str, call: Call) -> tuple[Place, ...]:
        """The methods that a call on a field with several possible types may run; () where one of
        these types has none."""
        if call.name not in self._methods:
            return ()
        *own, name = _PARTS.split(_bare(call.of))
        if own not in ([], ["self"], ["this"]) or bool(own) == name.startswith("@"):
            return ()
        holder = self._holder(path, call.caller)
        around = (self._holds.get(place, {}) for place in self.around(holder) if holder[1])
        words = next((it[name.lstrip("@")] for it in around if name.lstrip("@") in it), "")
        types = [self._type(holder[0], word, call.caller) for word in words.split("|")]
        ends = [self._member(place, call) if place else None for place in types]
        methods = [(end[0], end[1].qualified) for end in ends if end]
        return tuple(methods) if len(methods) == len(ends) > 1 else ()

    def type_of(self, path: str, caller: str, words: str) -> Place | None:
        """The type of an expression such as `self.store` in a function."""
        if self._resolving:  # A result within a cycle does not hold for other callers.
            return self._type_of(path, caller, words)
        key = (path, caller, words, self._is_of_wrapper)
        if key not in self._types_of:
            self._types_of[key] = self._type_of(path, caller, words)
        return self._types_of[key]

    def _type_of(self, path: str, caller: str, words: str) -> Place | None:
        if words.endswith(("}", "})")) and (literal := _LITERAL.fullmatch(words)):
            return self._type(path, literal[1], caller)
        made, sign, rest = _bare(words).rpartition("()")
        first, *more = _PARTS.split(rest)
        if len(more) >= PARTS_MAX or not all(map(_WORD.fullmatch, (first, *more)[bool(sign) :])):
            return None
        place: Place | None
        if sign:
            place = self._type(path, f"{made}()", caller)
        elif first in _OWN:
            place = self._holder(path, caller)
            place = place if place and place[1] else None
        elif first.startswith("@"):
            place = self._field(self._holder(path, caller), first[1:])
        else:
            place = self._variable(path, caller, first)
            if place is None and more:  # A name of a module.
                place = self._variable(path, caller, f"{first}.{more.pop(0)}")
        for at, name in enumerate(more):
            is_one = at == 0 and first[:1].isupper() and INSTANCE.fullmatch(name)
            field = self._field(place, name) if place else None
            place = field or (place if is_one else None)
        return place

    def _one_of(self, path: str, scope: str, words: str) -> Place | None:
        """The type of an element of an expression that is a collection."""
        of, _, name = words.rpartition(".")
        if name.endswith("()"):
            call = Call(name[:-2], 0, of, scope)
            made = self.method(path, call, is_for_type=True) if of else ()
            place = made[0] if made else self._declared(path, words[:-2])
            typed = [(place, self._holds.get(place, {}).get("", ""))] if place else []
        elif of or not (typed := self._typed(path, scope, name)):
            place = self.type_of(path, scope, of) if of else self._holder(path, scope)
            holders = self.around(place) if place else ()
            typed = [(it, self._holds.get(it, {}).get(name, "")) for it in holders]
        place, type_ = next((it for it in typed if it[1]), (None, ""))
        return self._type(place[0], type_[2:], place[1]) if place and type_[:2] == "[]" else None

    def _typed(self, path: str, scope: str, name: str) -> list[tuple[Place, str]]:
        """The declared types of a name in a function or around it."""
        types: list[tuple[Place, str]] = []
        while scope and not types:
            type_ = self._holds.get((path, scope), {}).get(name, "")
            types = [((path, scope), type_)] if type_ else []
            scope = scope.rpartition(".")[0]
        return types

    def _of_field(self, call: Call) -> Place | None:
        """The only type with the method among those of all fields of Rust with the receiver's name:
        closures and generic functions do not declare the types of parameters."""
        if not self._fields:
            for holder, types_of_names in self._holds.items():
                for name in (
                    types_of_names if holder in self._kinds and holder[0].endswith(".rs") else ()
                ):
                    self._fields[name].append(holder)
        name = call.of.rpartition(".")[2]
        types = {self._field(holder, name) for holder in self._fields.get(name, ())}
        having = [it for it in types if it and self._member(it, call)]
        return having[0] if len(having) == 1 and None not in types else None

    def _variable(self, path: str, caller: str, name: str) -> Place | None:
        scope = caller
        while True:
            is_type = (path, scope) in self._kinds
            declared = self._holds.get((path, scope), {}).get(name, "")
            if declared and not (is_type and path.endswith(_EXPLICIT)):
                return self._type(path, declared, scope)
            if not scope:
                break
            scope = scope.rpartition(".")[0]
        holder = self._holder(path, caller)
        if not path.endswith(_EXPLICIT) and (field := self._field(holder, name)):
            return field
        place = self._declared(path, name)
        if place is None or place in self._kinds:
            return place
        declared = self._holds.get((place[0], ""), {}).get(place[1], "")
        return self._type(place[0], declared) if declared else None

    def _holder(self, path: str, caller: str) -> Place:
        """The type around a function; with '' as name where there is none."""
        scope = caller
        if path.endswith(_MAKING) and (path, caller) in self._members:
            return (path, caller)  # A function that makes objects.
        while scope := scope.rpartition(".")[0]:
            is_function = (path, scope) in self._functions or path.endswith(".py")
            if (path, scope) in self._kinds or (not is_function and (path, scope) in self._members):
                return self._home(path, scope)
        return (path, "")

    def _type(self, path: str, words: str, scope: str = "") -> Place | None:
        """What a type, or what is made by `make()`, is called where it is declared."""
        if (path, words, scope) in self._resolving:  # It is made of itself.
            return None
        self._resolving.add((path, words, scope))
        try:
            return self._named_type(path, words, scope)
        finally:
            self._resolving.discard((path, words, scope))

    def _named_type(self, path: str, words: str, scope: str) -> Place | None:
        if "|" in words:  # Several values must have one type.
            places = {self._type(path, word, scope) for word in words.split("|")}
            return places.pop() if len(places) == 1 else None
        if words.endswith("[]"):
            return self._one_of(path, scope, words[:-2])
        if words.startswith(("self.", "this.")) and not words.endswith("()"):
            return self.type_of(path, scope, words)
        inside = scope
        while inside:  # A type within the one that names it.
            if (path, f"{inside}.{words}") in self._kinds:
                return (path, f"{inside}.{words}")
            inside = inside.rpartition(".")[0]
        for _ in range(LEVELS_MAX):
            if words.endswith("?"):
                if self._is_of_wrapper:
                    return None
                words = words[:-1]
            is_made = words.endswith("()")
            bare = words.removesuffix("()") if is_made and "()." in words else words
            name = bare if bare != words else _GENERIC.sub("", bare)
            name = name.replace("::", ".").replace("\\", ".").strip(". &*")
            place = self._declared(path, name) if name else None
            if is_made and "." in name:
                of, _, last = name.rpartition(".")
                call = Call(last, 0, of, scope or "")
                made = self.method(path, call, is_for_type=True) if scope else ()
                place = made[0] if made else place
                if not made and (last == "default" or INSTANCE.fullmatch(last)):  # It is derived.
                    return self.type_of(path, scope, of)
            else:
                of, last = "", name
            if place is None or place in self._kinds:
                return place
            words = self._holds.get(place, {}).get("", "") if is_made else ""
            if words in _OF_ITSELF or (is_made and not words and INSTANCE.fullmatch(last)):
                home = self._home(place[0], place[1].rpartition(".")[0])
                asked = self.type_of(path, scope, of) if of and words != "self" else None
                return asked if asked and home in self.around(asked) else home
            if not words:
                return None
            path, scope = place[0], place[1]
        return None

    def _member(
        self, place: Place, call: Call, *, is_for_type: bool = False
    ) -> tuple[str, Symbol] | None:
        """The file and symbol of the method that a call on a type runs; None where several
        match."""
        meant: list[tuple[str, Symbol]] = []
        for owner in self.around(place):
            of_type = [
                (part[0], symbol)
                for part in self._parts(owner)
                for symbol in self._alike(part, call.name)
                if overloads.fits(symbol, call.given)
            ]
            meant += of_type
            kind = self._kinds.get(owner)
            if kind and not (of_type or call.given) and call.name in overloads.components(kind):
                break  # The accessor of a record's component replaces an inherited method.
            if meant and not meant[0][1].takes:
                return meant[0]
        returned = {self._holds.get((path, it.qualified), {}).get("", "") for path, it in meant}
        is_alike = is_for_type and len(returned) == 1
        is_one = is_alike or len(overloads.apart(symbol for _, symbol in meant)) == 1
        return meant[0] if is_one else None

    def _field(self, place: Place, name: str) -> Place | None:
        for owner in self.around(place):
            own = f"{owner[1]}.{name}"
            type_ = self._holds.get(owner, {}).get(name)
            if not type_ and owner[0].endswith(".py"):  # A property of Python.
                type_ = self._holds.get((owner[0], own), {}).get("")
            if type_:
                return self._type(owner[0], type_, own)
        return None


def _above(symbol: Symbol) -> Iterator[str]:
    """The types that one extends or implements, and the traits that it uses."""
    yield from symbol.bases
    yield from (mark[4:] for mark in symbol.marks if mark.startswith("use "))


def _bare(words: str) -> str:
    """A receiver without the arguments of calls in it: `a(b, c)?.d` is `a().d`."""
    kept = without_arguments(_AWAITED.sub("", words.replace("$", "")))
    return re.sub(r"\)[?!]+", ")", unwrapped(kept)) if "(" in kept else kept
