"""Routes of Symfony by annotations in comments: `@Route("/orders", methods={"GET"})` above a method
or a class, and those of FOSRestBundle (`@Rest\\Get("/orders")`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Route

_PACKAGES = (
    "Symfony\\Component\\Routing\\Annotation",
    "FOS\\RestBundle\\Controller\\Annotations",
    "Sensio\\Bundle\\FrameworkExtraBundle",
)
_COMMENT = re.compile(
    r"/\*\*((?:[^*/]|\*(?!/)|/(?!\*)){1,4000}+)\*/\s*(?:#\[[^\]\n]{0,300}\]\s*){0,9}"
    r"(?:(?:abstract|final|public|protected|private|static|readonly)\s+){0,4}"
    r"(class|function)\s+&?(\w{1,100})"
)
_ROUTE = re.compile(
    r"@(?:\w{1,30}\\)?(Route|Get|Post|Put|Patch|Delete)\(((?:[^()]|\([^()]{0,200}\)){0,1000}+)\)"
)
_CLASS = re.compile(r"\n[ \t]{0,20}(?:abstract |final ){0,2}class ")
_BODY_MAX = 20_000
_PATH = re.compile(r"\s*(?:\*\s*)?(?:path\s*=\s*)?\"([^\"\n]{0,200})\"")
_METHODS = re.compile(r"methods\s*=\s*(?:\{([^{}]{0,100})\}|\"([A-Z|]{0,60})\")")
_WORD = re.compile(r"[A-Za-z]+")
_GUARD = re.compile(r"@(IsGranted|Security)\(\s*\"([^\"\n]{1,200})\"")


def routes(unit: Unit) -> Iterator[Route]:
    """The routes of a file, in the order of the code."""
    text = unit.data.decode(errors="replace") if b"@" in unit.data else ""
    if not text or not unit.proof.any_of(_PACKAGES):
        return
    holder, prefix, above = "", "", ""
    line, counted = 1, 0
    for comment in _COMMENT.finditer(text):
        noted, kind, name = comment.groups()
        line += text.count("\n", counted, comment.end())
        counted = comment.end()
        own = list(_routes_in(noted))
        guard = _guard(noted)
        if kind == "class":
            holder, above = name, guard
            prefix = own[0][1] if own else ""
            body = _CLASS.split(text[comment.end() : comment.end() + _BODY_MAX], maxsplit=1)[0]
            if not own or "function __invoke" not in body:
                continue
            handler, begin = f"{name}.__invoke", ""
        else:
            handler, begin = f"{holder}.{name}" if holder else name, prefix
        guards = tuple(filter(None, (above, guard if kind == "function" else ""))) or ("",)
        for methods, path in own:
            for method in methods:
                whole = joined(begin, path)
                yield Route(
                    method,
                    whole,
                    line,
                    handler,
                    guard=guards[0],
                    framework="Symfony",
                    further=guards[1:],
                )


def _routes_in(noted: str) -> Iterator[tuple[list[str], str]]:
    """The methods and the path of each annotation of a comment."""
    for name, arguments in _ROUTE.findall(noted):
        path = _PATH.match(arguments)
        if path is None:
            continue
        listed = _METHODS.search(arguments)
        words = _WORD.findall((listed[1] or listed[2] or "") if listed else "")
        methods = [word.upper() for word in words] if name == "Route" else [name.upper()]
        yield methods or ["ANY"], path[1]


def _guard(noted: str) -> str:
    match = _GUARD.search(noted)
    return f"{match[1]}({match[2]})" if match else ""
