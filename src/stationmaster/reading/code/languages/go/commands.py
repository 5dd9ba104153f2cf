"""Commands and options: those of the language's own library, cobra and urfave/cli."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages import inflections, meanings
from stationmaster.reading.code.languages.go import by_hand, described, texts, urfave
from stationmaster.reading.code.languages.go.bound import Bound, bound, keys
from stationmaster.reading.code.languages.go.frameworks import File, values
from stationmaster.reading.code.languages.go.kept import (
    Holders,
    default,
    fields,
    is_given,
    literal_at,
    literals_in,
    name_of,
    others_in,
    variable,
)
from stationmaster.reading.code.languages.source import above, child, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Fact, Option

_COBRA = "github.com/spf13/cobra"
_PFLAG = "github.com/spf13/pflag"
_URFAVE = "github.com/urfave/cli"
_FLAG = re.compile(
    r"(?:Bool|BoolFunc|Count|Duration|Float\d*|Func|IP|Int\d*|IntSlice|String|StringArray"
    r"|StringSlice|StringToString|TextVar|Uint\d*|Var|DurationSlice)(Var)?(P)?"
)
_TOLD_FIRST = ("BoolFunc", "Func")
"""Those whose last argument is a function."""
_WORD = re.compile(r"[\w:.-]+")
_HOLE = re.compile(r"\{\$[A-Za-z_][\w.]*\}")
_NAMES = ("identifier", "selector_expression")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"")
_WORDS_MAX = 8
_SETS = ("Flags", "PersistentFlags", "LocalFlags")
"""Methods of a command that give its flags."""
_WRAPPERS = (
    "argument_list", "call_expression", "expression_list", "literal_element",
    "parenthesized_expression", "unary_expression",
)  # fmt: skip


def read(file: File) -> Iterator[Fact]:
    """The commands of a file with the environment variables that set their options; none where it
    imports nothing which reads a command line."""
    if {_COBRA, _PFLAG, _URFAVE, "flag"} & set(file.packages.values()):
        yield from _Reader(file).read()


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._source = file
        self._packages = file.packages
        self._scopes = file.scopes
        self._facts: list[Fact] = []
        self._options: dict[str, list[tuple[str, Option]]] = defaultdict(list)
        """By the command that they belong to, or the function that adds them to one that it is
        given (`add()`): what keeps each one's value, and the option."""
        self._cobra: dict[str, Node] = {}
        self._parents: dict[str, str] = {}
        self._roots: set[str] = set()
        self._described = described.Described(file)
        self._sets: dict[tuple[str, str], str] = {}
        """The commands whose flags variables hold, by function and variable."""
        self._named: dict[str, tuple[str, int]] = {}
        """The names of sets of flags with their lines, by their owners."""
        self._known = frozenset(file.packages.values())
        self._parts: dict[str, list[str]] = defaultdict(list)
        """Functions that add flags, by what they are given those of: a command, or the function
        that hands them on."""
        self._flags: dict[int, Option] = {}
        """Those of urfave/cli, by where they are written."""
        self._bound: list[Bound] = []
        self._values = values(file)
        self._holders = Holders(file)

    def read(self) -> list[Fact]:
        """The commands of the file with their options, that of the program itself last."""
        urfave = self._literals()
        for call in self._file.called:
            scope = self._scopes.at(call.node.start_byte)
            if call.name == "Parse" and self._source.text(call.listed) == "(os.Args[1:])":
                self._sets[scope, call.on] = ""
            elif made := by_hand.flag_set(self._file, call):
                self._make_set(scope, *made, line_of(call.node))
        for call in self._file.called:
            self._call(call)
        for node, is_app in urfave:
            self._urfave(node, is_app)
        for holder, node in self._cobra.items():
            self._cobra_command(holder, node)
        if own := self._merged(""):
            self._facts.append(CliCommand((), own[0].line, options=own))
        below = dict.fromkeys(self._parents.values())
        for owner in {**self._options, **self._parts, **below}:
            if owner.endswith("()"):
                self._part(owner)
            elif owner in self._named:
                name, line = self._named[owner]
                self._facts.append(CliCommand((name,), line, options=self._merged(owner)))
            elif owner not in self._cobra and (names := self._below(owner)):
                self._facts.append(CliCommand((), 0, children=names, parent=owner, is_part=True))
        return [*self._facts, *keys(self._file, self._bound, self._merged)]

    def _make_set(self, scope: str, name: str, kept: str, line: int) -> None:
        """Note a set of flags: that of a function, or one of several."""
        if (scope, kept) in self._sets or not scope or scope == kept or _COBRA in self._known:
            return
        is_further = f"{scope}()" in self._sets.values()
        owner = f"{scope}()#{kept}" if is_further else f"{scope}()"
        self._sets[scope, kept] = owner
        if name:
            self._named[owner] = (name, line)

    def _below(self, owner: str, is_apart: bool = False) -> tuple[str, ...]:
        """What is put below a command, without what a file itself puts together."""
        names = (below for below, parent in self._parents.items() if parent == owner)
        return tuple(sorted(name for name in names if is_apart or name not in self._cobra))

    def _part(self, owner: str) -> None:
        """Add what a function adds to commands."""
        own, parts = self._merged(owner), tuple(self._parts[owner])
        function = owner.removesuffix("()")
        if owner in self._named:
            name, at = self._named[owner]
            self._facts.append(CliCommand((name,), at, holder=by_hand.SET, parts=(function,)))
        line = own[0].line if own else 0
        self._facts.append(
            CliCommand(
                (), line, "", "", own, function, self._below(owner, True),
                parts=parts, is_part=True,
            )
        )  # fmt: skip

    def _literals(self) -> list[tuple[Node, bool]]:
        """Those of urfave/cli that stand in no other, and whether each is the program."""
        outer, found = 0, list[tuple[Node, bool]]()
        for match in self._source.matches("commands"):
            if "literal" not in match:
                continue
            node, kind = match["literal"][0], self._type(match["type"][0])
            if kind == (_COBRA, "Command"):
                self._cobra.setdefault(self._holder(node), node)
            elif self._is_described(node, match["type"][0], kind[0]):
                self._cobra[f"@{node.start_byte}"] = node
            elif kind[0] == _URFAVE and kind[1].endswith("Flag"):
                self._urfave_flag(node)
            elif kind in ((_URFAVE, "App"), (_URFAVE, "Command")) and node.start_byte >= outer:
                outer = node.end_byte
                found.append((node, kind[1] == "App"))
        return found

    def _is_described(self, node: Node, type_: Node, package: str) -> bool:
        keys = fields(self._source, node) if package not in (_COBRA, _URFAVE) else {}
        words = self._text(keys.get("Name")), self._text(keys.get("Short"))
        return bool(keys) and self._described.is_one(type_, keys, *words)

    def _type(self, node: Node) -> tuple[str, str]:
        package, _, name = self._source.text(node).partition(".")
        return self._packages.get(package, ""), name

    def _holder(self, node: Node) -> str:
        """The variable that a literal is kept in, or the function that returns it."""
        around = above(node, *_WRAPPERS, past=True)
        if (name := variable(around)) is not None:
            return self._holders.of(name)
        if around is not None and around.type == "return_statement":
            return self._scopes.at(node.start_byte)
        return f"@{node.start_byte}"

    def _text(self, node: Node | None) -> str:
        return one_line(self._source.literal(node) or "")

    def _call(self, call: Called) -> None:
        name, given = call.name, call.listed
        function = child(call.node, "function")
        on = child(function, "operand")
        if given is None:
            return
        node, arguments = call.node, given.named_children
        if name == "AddCommand" and on is not None:
            for argument in arguments:
                written = literal_at(argument)
                below = f"@{written.start_byte}" if written else self._holders.of(argument)
                self._parents[below] = self._command(on)
        elif name in ("Execute", "ExecuteContext", "ExecuteC") and on is not None:
            self._roots.add(self._command(on))
        elif name in _SETS and on is not None:
            scope = self._scopes.at(node.start_byte)
            left = variable(above(node, *_WRAPPERS, past=True))
            self._sets[scope, self._source.text(left)] = self._command(on)
        elif on is not None and (flag := _FLAG.fullmatch(name)):
            owner = self._flags_of(on)
            if owner is not None:
                self._flag(node, owner, arguments, bool(flag[1]) or name == "Var", bool(flag[2]))
        else:
            self._bound += bound(self._source, name, arguments, self._flags_of)
            self._handed_on(self._source.part(node, "function"), arguments)

    def _handed_on(self, function: str, arguments: list[Node]) -> None:
        """Note that a function is given a command or its flags."""
        for argument in arguments:
            is_command = self._is_command(argument)
            owner = self._command(argument) if is_command else self._flags_of(argument)
            if owner:
                self._parts[owner].append(function)
        is_adding = function.rpartition(".")[2].startswith("Add") and bool(arguments)
        if is_adding and self._is_command(arguments[0]):
            for argument in arguments[1:]:  # `AddGroup(cmd, "General", NewList(f), NewView(f))`
                if argument.type == "call_expression":
                    self._parents[self._holders.of(argument)] = self._command(arguments[0])

    def _is_command(self, node: Node) -> bool:
        return self._holders.of(node) in self._cobra or is_given(self._source, node, "Command")

    def _flags_of(self, node: Node) -> str | None:
        """The command whose flags an expression is, '' for the program, or the function that is
        given them; None for no flags."""
        name, scope = self._source.text(node), self._scopes.at(node.start_byte)
        if self._packages.get(name.removesuffix(".CommandLine")) in ("flag", _PFLAG):
            return ""
        callee = child(node, "function")
        on = child(callee, "operand")
        if on is not None and self._source.part(callee, "field") in _SETS:
            return self._command(on)
        if (scope, name) in self._sets:
            return self._sets[scope, name]
        return f"{scope}()" if is_given(self._source, node, "FlagSet") else None

    def _command(self, node: Node) -> str:
        """A command by its name, or the function that is given one, or the struct of the project's
        own that holds it."""
        scope = self._scopes.at(node.start_byte)
        outer = self._described.around(node)
        if outer is not None and f"@{outer.start_byte}" in self._cobra:
            return f"@{outer.start_byte}"
        if is_given(self._source, node, "Command"):
            return f"{scope}()"
        return self._holders.of(node)

    def _flag(
        self, node: Node, owner: str, arguments: list[Node], has_variable: bool, has_short: bool
    ) -> None:
        called = self._source.part(child(node, "function"), "field")
        variable = self._source.text(arguments[0]) if has_variable and arguments else ""
        rest = arguments[1:] if has_variable else arguments
        name = self._flag_name(rest[0]) if rest else ""
        if not name:
            return
        is_long = not self._known.isdisjoint((_COBRA, _PFLAG, _URFAVE))
        names = [f"--{name}" if is_long else f"-{name}"]
        if has_short and len(rest) > 1 and (short := self._source.literal(rest[1])):
            names.insert(0, f"-{short}")
        values = rest[2:] if has_short else rest[1:]
        has_default = len(values) > 1 and called not in _TOLD_FIRST
        value = default(self._source, values[0]) if has_default else None
        is_many = "Array" in called or "Slice" in called
        usage = rest[-2] if called in _TOLD_FIRST and len(rest) > 2 else rest[-1]
        meaning = meanings.told(self._source, usage) if len(rest) > 1 else ""
        function = child(node, "function")
        for_all = self._source.part(function, "operand").endswith(".PersistentFlags()")
        option = Option(
            tuple(names), line_of(node), meaning, value, is_many=is_many, for_all=for_all
        )
        self._options[owner].append((variable, option))

    def _flag_name(self, node: Node) -> str:
        """The name of a flag, with a hole for a constant of another file: `{$flagName}`."""
        is_named = node.type in _NAMES
        name = texts.Texts(self._file).of(node) if is_named else self._source.literal(node)
        return name if name and (_WORD.fullmatch(name) or _HOLE.fullmatch(name)) else ""

    def _merged(self, owner: str) -> tuple[Option, ...]:
        """The options of a command; two that set one variable are spellings of one."""
        found: list[tuple[str, Option]] = []
        for kept, option in self._options.get(owner, ()):
            for number, (other, before) in enumerate(found):
                if other == kept and kept.startswith("&"):
                    names = tuple(sorted({*before.names, *option.names}, key=lambda n: (len(n), n)))
                    help_ = before.help or option.help
                    found[number] = other, replace(before, names=names, help=help_)
                    break
            else:
                found.append((kept, option))
        return tuple(option for _, option in found)

    def _cobra_command(self, holder: str, node: Node) -> None:
        words: list[str] = []
        name, seen = holder, set[str]()
        while name in self._cobra and name not in seen and not self._is_root(name):
            seen.add(name)
            if not (use := self._use(name)):
                return
            words.insert(0, use)
            name = self._parents.get(name, "")
        keys = fields(self._source, node)
        self._facts.append(
            CliCommand(
                tuple(words),
                line_of(node),
                self._meaning(keys),
                name_of(
                    self._source, keys.get("RunE") or keys.get("Run") or self._described.runs(keys)
                ),
                self._merged(holder),
                holder if name.endswith("()") or not holder.startswith("@") else "",
                self._below(holder),
                "" if name in self._cobra or name.endswith("()") else name,
                self._use(name) if self._is_root(name) else "",
                tuple(self._parts[holder]),
            )
        )

    def _meaning(self, keys: dict[str, Node]) -> str:
        """What a command is for, behind what stands for one that is to be used no more; its whole
        help and examples."""
        old, short = self._text(keys.get("Deprecated")), self._text(keys.get("Short"))
        first = f"Deprecated: {old} {short}".rstrip() if old else short
        example = self._lines(keys.get("Example"))
        long = self._lines(keys.get("Long"))
        return inflections.paragraphs(first, long, example and f"Examples:\n{example}")

    def _lines(self, node: Node | None) -> str:
        text = self._source.literal(node) or ""
        is_raw = node is None or node.type == "raw_string_literal"
        return (text if is_raw else text.replace("\\n", "\n").replace('\\"', '"')).strip("\n")

    def _use(self, name: str) -> str:
        keys = fields(self._source, self._cobra[name]) if name in self._cobra else {}
        return self._text(keys.get("Use") or keys.get("Name")).split(" ")[0]

    def _is_root(self, name: str) -> bool:
        plain = name.rpartition(".")[2].lower()
        is_called_so = plain in ("root", "rootcmd", "rootcommand", "newrootcmd", "newrootcommand")
        return name in self._roots or is_called_so

    def _urfave(self, node: Node, is_app: bool) -> None:
        holder = self._holder(node)
        is_root = is_app or holder.lower() in ("app", "root", "rootcmd")
        waiting: list[tuple[Node, tuple[str, ...] | None]] = [(node, None)]
        while waiting:
            each, above = waiting.pop()
            keys = fields(self._source, each)
            name = self._text(keys.get("Name"))
            words = () if above is None and is_root else (*(above or ()), name)
            inside = [value for key in ("Commands", "Subcommands") if (value := keys.get(key))]
            if (not name and words) or len(words) > _WORDS_MAX:
                continue
            self._facts.append(
                CliCommand(
                    words,
                    line_of(each),
                    meanings.told(self._source, keys.get("Usage")),
                    name_of(self._source, keys.get("Action")),
                    tuple(self._urfave_options(keys.get("Flags"))),
                    holder if each == node else "",
                    tuple(name for value in inside for name in others_in(self._source, value)),
                )
            )
            waiting += [(one, words) for value in inside for one in reversed(literals_in(value))]

    def _urfave_flag(self, node: Node) -> None:
        keys = fields(self._source, node)
        names = [part.strip() for part in self._text(keys.get("Name")).split(",")]
        names += _QUOTED.findall(self._source.text(keys.get("Aliases")))
        dashed = tuple(f"-{part}" if len(part) == 1 else f"--{part}" for part in names if part)
        if not dashed:
            return
        help_ = meanings.told(self._source, keys.get("Usage"))
        value = default(self._source, keys["Value"]) if "Value" in keys else None
        option = self._flags[node.start_byte] = Option(dashed, line_of(node), help_, value)
        self._facts += urfave.settings(self._source, node, keys, option)

    def _urfave_options(self, node: Node | None) -> list[Option]:
        """Those of a list that is written in place, or that a variable of the file keeps."""
        if node is not None and node.type == "identifier":
            node = self._values.get(self._source.text(node))
        if node is None:
            return []
        start, end = node.start_byte, node.end_byte
        return [option for byte, option in sorted(self._flags.items()) if start <= byte < end]
