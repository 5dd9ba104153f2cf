"""What answers a route in Rails: the controller that is found by its name, what that inherits, a
template alone, or a part of Devise that a model asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.code.languages.ruby.routes import DEVISE_MODULES
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.model import Facts, query

_LINES_MAX = 10
"""Of a statement in a model."""
_OPEN = ("ActionController::API", "ActionController::Base", "ApplicationController")
"""What controllers build on that has no actions."""
_INCLUDES = re.compile(r"(?m)^\s*include\s+([\w:]+)")
_PROVIDERS = "/auth/:provider"
_PREFIX = re.compile(r"(?m)^[ \t]*+config\.omniauth_path_prefix[ \t]*+=[ \t]*+[\"']([\w/.-]+)[\"']")
_CHOSEN = re.compile(r"\*\(\[?([\w:, ]{1,200}?)\]? ((?:if|unless) .{1,200}?)\)(?=,|\s|$)")
"""`*(:confirmable if ENV["CONFIRM"])`"""
_MAKES = r"\b(?:def|alias|alias_method|define_method)[ (]+:?{}\b"
"""What makes an action of a name."""


def handler(facts: Facts, words: str) -> tuple[str, Symbol] | None:
    """The method that `Admin.OrdersController.show` is, also where it is inherited; the class where
    it inherits that of Devise."""
    controller, _, action = words.rpartition(".")
    path = _controllers(facts).get(_key(controller), "")
    for symbol in facts.code[path].symbols if path else ():
        if symbol.kind == "class" and symbol.qualified.endswith(controller.rpartition(".")[2]):
            for where, name in types(facts).around((path, symbol.qualified)):
                method = symbol_of(facts, where, f"{name}.{action}")
                if method is not None:
                    return where, method
            if any(base.startswith("Devise::") for base in symbol.bases):
                return path, symbol
    return None


def is_found(facts: Facts, route: Route) -> bool:
    """May the controller of a route be there? Not where the repository lacks it and has others in
    its folder."""
    controller = route.handler.rpartition(".")[0]
    key = _key(controller)
    if not _is_of_controller(route) or key in _controllers(facts):
        return True
    folder = key.rpartition("/")[0]
    return bool(folder) and not any(it.startswith(f"{folder}/") for it in _controllers(facts))


def answered(facts: Facts, routes: Iterable[tuple[str, Route]]) -> Iterator[tuple[str, Route]]:
    """Routes with their files as something may answer them: none of Rails whose controller the
    repository has without a method or a template of the name there, in a module of it and in what
    it inherits, and those of Devise that a model asks for."""
    for path, route in routes:
        if route.framework == "Devise":
            yield from ((path, made) for made in [_of_devise(facts, route)] if made)
        elif not path.endswith(".rb") or _is_answered(facts, route):
            yield path, route


def _is_answered(facts: Facts, route: Route) -> bool:
    controller, _, action = route.handler.rpartition(".")
    path = _controllers(facts).get(_key(controller), "") if _is_of_controller(route) else ""
    if not path or handler(facts, route.handler) is not None:
        return True
    places = [
        place
        for own in facts.code[path].symbols
        if own.kind == "class" and own.qualified.endswith(controller.rpartition(".")[2])
        for place in types(facts).around((path, own.qualified))
    ]
    chain = [it for place in places if (it := symbol_of(facts, *place)) is not None]
    if not chain or not {*chain[-1].bases} <= {*_OPEN}:
        return True
    makes = re.compile(_MAKES.format(re.escape(action)))
    for where, _ in places:
        text = facts.tree.text(where)
        modules = [snake(name.rpartition("::")[2]) for name in _INCLUDES.findall(text)]
        files = [it for name in modules for it in facts.tree.glob(f"**/{name}.rb")]
        name = where.rpartition("controllers/")[2].removesuffix("_controller.rb")
        if any(makes.search(facts.tree.text(it)) for it in (where, *files)) or (
            facts.tree.glob(f"**/views/{name}/{action}.*", everywhere=True)
        ):
            return True
    return False


def _is_of_controller(route: Route) -> bool:
    return route.framework != "Devise" and route.handler.rpartition(".")[0].endswith("Controller")


def _of_devise(facts: Facts, route: Route) -> Route | None:
    """A route of Devise, under the condition of the part that answers it; None where the model does
    not ask for that."""
    if _PROVIDERS in route.path and (prefix := _provider_prefix(facts)):
        rest = route.path.partition(_PROVIDERS)[2]
        route = structs.replace(route, path=f"{prefix}{_PROVIDERS.removeprefix('/auth')}{rest}")
    kinds = [kind for kind in DEVISE_MODULES if kind in snake(route.handler)]
    for path in facts.tree.glob(f"**/models/{snake(route.owner)}.rb") if kinds else ():
        said = _of_model(facts, path)
        forms = (re.search(rf":(?:{DEVISE_MODULES[kind]})\b", said) for kind in kinds)
        names = [form[0] for form in forms if form]
        if said and not names:
            return None
        if said:
            stated = [match[2] for match in _CHOSEN.finditer(said) if names[0] in match[1]]
            conditions = filter(None, (route.condition, *stated))
            return structs.replace(route, condition=", ".join(conditions))
    return route


def _of_model(facts: Facts, path: str) -> str:
    """What a model requests of Devise, in all of its statements."""
    calls = facts.code[path].calls if path in facts.code else ()
    lines = [it.line - 1 for it in calls if it.name == "devise"]
    return " ".join(" ".join(lines_of(facts, path)[at : at + _LINES_MAX + 1]) for at in lines)


@query
def _provider_prefix(facts: Facts) -> str:
    """Where Devise has the routes of providers, '' for below the path of the model."""
    for path in facts.tree.glob("**/config/initializers/*.rb"):
        if match := _PREFIX.search(facts.tree.text(path)):
            return match[1].rstrip("/")
    return ""


@query
def _controllers(facts: Facts) -> Mapping[str, str]:
    """The files of controllers by what routes call them."""
    found = {}
    for path in facts.tree.glob("**/controllers/**/*_controller.rb"):
        if path in facts.code:
            found[path.rpartition("controllers/")[2].removesuffix("_controller.rb")] = path
    return {name.replace("_", ""): path for name, path in found.items()}


def _key(controller: str) -> str:
    return controller.removesuffix("Controller").replace(".", "/").lower()
