"""Commands and options: those of the language's own library, cobra and urfave/cli."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.reading.code.languages import inflections, meanings
from stationmaster.reading.code.languages.command_lines.trees import Tree
from stationmaster.reading.code.languages.go import by_hand, texts, urfave
from stationmaster.reading.code.languages.go.bound import (
    HIDDEN,
    Bound,
    bound,
    is_unused,
    keys,
    mark,
)
from stationmaster.reading.code.languages.go.frameworks import File, values
from stationmaster.reading.code.languages.go.kept import (
    NAMES,
    WRAPPERS,
    Holders,
    fields,
    flag_default,
    is_given,
    listed,
    literal_at,
    name_of,
    of_package,
    variable,
)
from stationmaster.reading.code.languages.source import above, child, inside, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Fact, Option

_COBRA = "github.com/spf13/cobra"
_PFLAG = "github.com/spf13/pflag"
_FLAG = re.compile(
    r"(?:Bool|BoolFunc|Count|Duration|Float\d*|Func|IP|Int\d*|IntSlice|String|StringArray"
    r"|StringSlice|StringToString|TextVar|Uint\d*|Var|DurationSlice)(Var)?(P)?"
)
_TOLD_FIRST = ("BoolFunc", "Func")
"""Those whose last argument is a function."""
_WORD = re.compile(r"[\w:.-]+")
_HOLE = re.compile(r"\{\$[A-Za-z_][\w.]*\}")
_SETS = ("Flags", "PersistentFlags", "LocalFlags")
"""Methods of a command that give its flags."""


def read(file: File) -> Iterator[Fact]:
    """The commands of a file with the environment variables that set their options; none where it
    imports nothing which reads a command line."""
    yield from urfave.read(file)
    if {_COBRA, _PFLAG, urfave.PACKAGE, "flag"} & set(file.packages.values()):
        yield from _Reader(file).read()


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._scopes = file.scopes
        self._tree = Tree()
        """By commands, and the functions that add to one that they are given (`add()`)."""
        self._kept: dict[tuple[str, str], int] = {}
        """Places of options by their owners and the variables that keep their values."""
        self._cobra: dict[str, Node] = {}
        self._parents: dict[str, str] = {}
        self._roots: set[str] = set()
        self._sets: dict[tuple[str, str], str] = {}
        """The commands whose flags variables hold, by function and variable."""
        self._named: dict[str, tuple[str, int]] = {}
        """The names of sets of flags with their lines, by their owners."""
        self._known = frozenset(file.packages.values())
        self._marks: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        """What is said of flags elsewhere than where they are made, by their owners and names."""
        self._bound: list[Bound] = []
        self._holders = Holders(file)
        self._values = values(file)

    def read(self) -> Iterator[Fact]:
        """The commands of the file with their options."""
        self._literals()
        for call in self._file.called:
            scope = self._scopes.at(call.node.start_byte)
            if call.name in _SETS and call.of is not None:
                left = variable(above(call.node, *WRAPPERS, past=True))
                self._sets[call.caller, self._file.text(left)] = self._command(call.of)
            elif call.name == "Parse" and self._file.text(call.listed) == "(os.Args[1:])":
                self._sets[scope, call.on] = ""
            elif made := by_hand.flag_set(self._file, call):
                self._make_set(scope, *made, call.line)
        for call in self._file.called:
            if call.of is not None and (said := mark(self._file, call)):
                owner = self._flags_of(call.of)
                self._marks[owner or "", said.flag].append(said.words)
        for call in self._file.called:
            self._call(call)
        tree, options = self._tree, self._tree.options
        for below, parent in sorted(self._parents.items()):
            if parent.endswith("()") or below not in self._cobra:
                tree.below[parent].append(below)
        for holder, node in self._cobra.items():
            self._cobra_command(holder, node)
        if options[""]:
            tree.commands[""] = CliCommand((), options[""][0].line)
        for owner, (name, line) in self._named.items():
            if owner not in {*options, *tree.parts, *tree.below}:
                continue
            if owner.endswith("()"):
                yield CliCommand((name,), line, holder=by_hand.SET, parts=(owner[:-2],))
            else:
                tree.commands[owner] = CliCommand((name,), line)
        yield from tree.facts()
        yield from keys(self._file, self._bound, options.__getitem__)

    def _make_set(self, scope: str, name: str, kept: str, line: int) -> None:
        """Note a set of flags: that of a function, or one of several."""
        if (scope, kept) in self._sets or not scope or scope == kept or _COBRA in self._known:
            return
        is_further = f"{scope}()" in self._sets.values()
        owner = f"{scope}()#{kept}" if is_further else f"{scope}()"
        self._sets[scope, kept] = owner
        if name:
            self._named[owner] = (name, line)

    def _literals(self) -> None:
        """Note the commands of cobra."""
        for match in self._file.matches("commands"):
            if "literal" not in match:
                continue
            node, type_ = match["literal"][0], match["type"][0]
            package, _, name = self._file.text(type_).partition(".")
            if self._file.packages.get(package) == _COBRA and name == "Command":
                self._cobra.setdefault(self._holders.keeping(node), node)

    def _text(self, node: Node | None) -> str:
        return one_line(self._file.literal(node) or "")

    def _call(self, call: Called) -> None:
        name, on, arguments = call.name, call.of, inside(call.listed)
        if name == "AddCommand" and on is not None:
            for argument in arguments:
                written = literal_at(argument)
                below = f"@{written.start_byte}" if written else self._holders.of(argument)
                self._parents[below] = self._command(on)
        elif name in ("Execute", "ExecuteContext", "ExecuteC") and on is not None:
            self._roots.add(self._command(on))
        elif on is not None and (flag := _FLAG.fullmatch(name)):
            if (owner := self._flags_of(on)) is not None:
                self._flag(call, owner, is_kept=bool(flag[1]) or name == "Var", has_short=flag[2])
        else:
            self._bound += bound(self._file, name, arguments, self._flags_of)
            self._handed_on(call, self._file.part(call.node, "function"), arguments)

    def _handed_on(self, call: Called, function: str, arguments: list[Node]) -> None:
        """Note that a function is given a command or its flags."""
        for argument in arguments:
            is_command = self._is_command(argument)
            owner = self._command(argument) if is_command else self._flags_of(argument)
            if owner:
                self._tree.parts[owner].append(function)
                self._tree.options[owner] += of_package(self._file, call)

    def _is_command(self, node: Node) -> bool:
        return self._holders.of(node) in self._cobra or is_given(self._file, node, "Command")

    def _flags_of(self, node: Node) -> str | None:
        """The command whose flags an expression is, '' for the program, or the function that is
        given them; None for no flags."""
        name, scope = self._file.text(node), self._scopes.at(node.start_byte)
        if self._file.packages.get(name.removesuffix(".CommandLine")) in ("flag", _PFLAG):
            return ""
        callee = child(node, "function")
        on = child(callee, "operand")
        if on is not None and self._file.part(callee, "field") in _SETS:
            return self._command(on)
        if (scope, name) in self._sets:
            return self._sets[scope, name]
        return f"{scope}()" if is_given(self._file, node, "FlagSet") else None

    def _command(self, node: Node) -> str:
        """A command by its name, or the function that is given one."""
        if is_given(self._file, node, "Command"):
            return f"{self._scopes.at(node.start_byte)}()"
        return self._holders.of(node)

    def _flag(self, call: Called, owner: str, *, is_kept: bool, has_short: str | None) -> None:
        """Add a flag, whose value a variable keeps that is given first, if any."""
        arguments = inside(call.listed)
        kept = arguments.pop(0) if is_kept and arguments else None
        name = self._flag_name(arguments[0]) if arguments else ""
        if not name:
            return
        is_long = not self._known.isdisjoint((_COBRA, _PFLAG, urfave.PACKAGE))
        short = self._file.literal(arguments[1]) if has_short and len(arguments) > 1 else ""
        values = arguments[2:] if has_short else arguments[1:]
        has_default = len(values) > 1 and call.name not in _TOLD_FIRST
        own, text = values[0] if has_default else None, self._file.text(next(iter(values), None))
        if kept is not None and self._file.text(kept) == f"&{text}" and text.isidentifier():
            own = child(self._values.get(text))  # As the variable is declared.
        usage = arguments[-2 if call.name in _TOLD_FIRST and len(arguments) > 2 else -1]
        option = Option(
            (*([f"-{short}"] if short else ()), f"--{name}" if is_long else f"-{name}"),
            line_of(call.node),
            meanings.message(self._file, usage) if len(arguments) > 1 else "",
            flag_default(self._file, own) if own is not None else None,
            is_many="Array" in call.name or "Slice" in call.name,
            for_all=self._file.text(call.of).endswith(".PersistentFlags()"),
        )
        if marks := sorted(self._marks[owner, name]):
            option = replace(option, help=" ".join(filter(None, (*marks, option.help))))
        is_own = bool(marks) or is_unused(self._file, call.node, kept)
        self._add(owner, "" if is_own else self._file.text(kept), option)

    def _flag_name(self, node: Node) -> str:
        """The name of a flag."""
        name = self._name(node)
        return name if _WORD.fullmatch(name) or _HOLE.fullmatch(name) else ""

    def _name(self, node: Node) -> str:
        """A text, with a hole for a constant of another file: `{$flagName}`."""
        is_named = node.type in NAMES
        return (texts.Texts(self._file).of(node) if is_named else self._file.literal(node)) or ""

    def _add(self, owner: str, kept: str, option: Option) -> None:
        """Add an option to a command; two that set one variable are spellings of one."""
        options = self._tree.options[owner]
        at = self._kept.setdefault((owner, kept), len(options)) if kept[:1] == "&" else len(options)
        for before in options[at : at + 1]:
            names = sorted({*before.names, *option.names}, key=lambda it: (len(it), it))
            option = replace(before, names=tuple(names), help=before.help or option.help)
        options[at : at + 1] = [option]

    def _cobra_command(self, holder: str, node: Node) -> None:
        words: list[str] = []
        name, seen = holder, set[str]()
        while name in self._cobra and name not in seen and not self._is_root(name):
            seen.add(name)
            if not (use := self._use(name)):
                self._tree.below.pop(holder, None)
                return
            words.insert(0, use)
            name = self._parents.get(name, "")
        keys = fields(self._file, node)
        handler = keys.get("RunE") or keys.get("Run")
        is_known = name.endswith("()") or not holder.startswith("@")
        self._tree.commands[holder] = CliCommand(
            tuple(words),
            line_of(node),
            self._meaning(keys),
            name_of(self._file, handler),
            holder=holder if is_known else "",
            parent="" if name in self._cobra or name.endswith("()") else name,
            program=self._use(name) if self._is_root(name) else "",
            aliases=listed(self._file, keys.get("Aliases")),
        )

    def _meaning(self, keys: dict[str, Node]) -> str:
        """What a command is for, behind what stands for one that is to be used no more; its whole
        help and examples."""
        old, short = self._text(keys.get("Deprecated")), self._text(keys.get("Short"))
        hidden = HIDDEN if self._file.text(keys.get("Hidden")) == "true" else ""
        first = " ".join(filter(None, (old and f"Deprecated: {old}", hidden, short)))
        example = self._lines(keys.get("Example"))
        long = self._lines(keys.get("Long"))
        return inflections.paragraphs(first, long, example and f"Examples:\n{example}")

    def _lines(self, node: Node | None) -> str:
        text = self._file.literal(node) or ""
        is_raw = node is None or node.type == "raw_string_literal"
        return (text if is_raw else text.replace("\\n", "\n").replace('\\"', '"')).strip("\n")

    def _use(self, name: str) -> str:
        keys = fields(self._file, self._cobra[name]) if name in self._cobra else {}
        node = keys.get("Use")
        return one_line(self._name(node)).split(" ")[0] if node is not None else ""

    def _is_root(self, name: str) -> bool:
        plain = name.rpartition(".")[2].lower()
        is_called_so = plain in ("root", "rootcmd", "rootcommand", "newrootcmd", "newrootcommand")
        return name in self._roots or is_called_so
