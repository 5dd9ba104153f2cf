"""The parameters and arguments of functions, in the notations of all languages."""

from __future__ import annotations

import re

from stationmaster.reading.code.model import Symbol

_WORD = re.compile(r"[\w$@]+")
BODILESS = "bodiless"
"""Marks a method that an interface only declares."""
SETTING = (".setter", ".deleter")
"""How decorators of Python end that make a setter of a function."""
_SETTER = re.compile(r"(?:(?:public|private|protected|static|override) ){0,3}set \w")
"""The head of a setter in JavaScript and TypeScript."""
_QUALIFIED = re.compile(r"\b\w+\.(?=\w)")
_NAMED = re.compile(r"(?!chan |func\b)\w+ (.+)", re.DOTALL)
"""A parameter of Go with its name."""


def is_setter(symbol: Symbol) -> bool:
    """Does a function only run when a property is set or deleted?"""
    marks = any(mark.endswith(SETTING) for mark in symbol.marks)
    return marks or _SETTER.match(symbol.signature) is not None


def shape(symbol: Symbol) -> str:
    """The types of the parameters and results of a method of Go, without names."""
    text = _QUALIFIED.sub("", symbol.signature.partition(f"{symbol.name}(")[2])
    takes, gives = _closed(text)
    gives = gives.strip()
    return f"{_types_of(takes)}) {_types_of(_closed(gives[1:])[0] if gives[:1] == '(' else gives)}"


def _closed(text: str) -> tuple[str, str]:
    """The text before the closing bracket of an open one, and after it."""
    depth = 1
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            return text[:at], text[at + 1 :]
    return text, ""


def parameters(signature: str) -> list[str]:
    """The words in the list of parameters of a function: names, and types before them."""
    return [word for words in parameters_apart(signature) for word in words]


def parameters_apart(signature: str) -> list[list[str]]:
    """The words of each parameter: its names, and types before them."""
    listed, _ = _closed(signature.partition("(")[2])
    return [_WORD.findall(re.split(r":|=", part, maxsplit=1)[0]) for part in _apart(listed)]


def arguments(text: str) -> list[str]:
    """The parts between the commas of a bracket at the beginning of a text."""
    text = text.lstrip()
    return [it for it in _apart(_closed(text[1:])[0]) if it] if text[:1] in ("(", "{") else []


def _apart(listed: str) -> list[str]:
    """The parts of a list between its own commas."""
    parts, depth = [""], 0
    for sign in listed:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _types_of(listed: str) -> str:
    """The types of a list of parameters: `a, b int` are two of them."""
    parts = _apart(listed)
    split = [_NAMED.fullmatch(part) for part in parts]
    if any(split):
        last = ""
        for at in reversed(range(len(parts))):
            match = split[at]
            last = match[1] if match else last
            parts[at] = last
    return ",".join(parts)
