"""What answers a route in Rails: the controller that is found by its name, what that inherits, a
template alone, or a part of Devise that a model asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
_ISOLATED = re.compile(r"(?m)^[ \t]*+isolate_namespace[ (]+([A-Z][\w:]*)")
_CHOSEN = re.compile(r"\*\(\[?([\w:, ]{1,200}?)\]? ((?:if|unless) .{1,200}?)\)(?=,|\s|$)")
"""`*(:confirmable if ENV["CONFIRM"])`"""
_MAKES = r"\b(?:def|alias|alias_method|define_method)[ (]+:?{}\b"
"""What makes an action of a name."""


def named(facts: Facts, path: str, route: Route) -> Route:
    """A route whose handler is called as its controller is declared: with the acronyms that a
    project knows, `IPPoolsController` for `ip_pools`."""
    words, _, action = route.handler.rpartition(".")
    if not path.endswith(".rb") or not words:
        return route
    spaces = ("", *_spaces(facts).get(path.rpartition("config/")[0], ()))
    for whole in (f"{space}{words}" for space in spaces):
        end = controller(facts, f"{whole}.{action}")
        if end is not None and end[1].qualified.lower() == whole.lower():
            return structs.replace(route, handler=f"{end[1].qualified}.{action}")
    return route


@query
def _spaces(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """The namespaces of the controllers of engines, by the folders of these."""
    found: dict[str, tuple[str, ...]] = {}
    for path in facts.tree.glob("**/lib/**/engine.rb"):
        folder = path[: path.rindex("lib/")]
        names = _ISOLATED.findall(facts.tree.text(path))
        found[folder] = (*found.get(folder, ()), *(f"{it.replace('::', '.')}." for it in names))
    return found


def controller(facts: Facts, words: str) -> tuple[str, Symbol] | None:
    """The class that holds the action `Admin.OrdersController.show`, whatever its letters' case."""
    name = words.rpartition(".")[0]
    path, last = _controllers(facts).get(_key(name), ""), name.rpartition(".")[2].lower()
    classes = [it for it in facts.code[path].symbols if it.kind == "class"] if path else []
    of_name = [it for it in classes if it.name.rpartition("::")[2].lower() == last]
    return (path, of_name[0]) if of_name else None


def handler(facts: Facts, words: str) -> tuple[str, Symbol] | None:
    """The method that `Admin.OrdersController.show` is, also where it is inherited; the class where
    it inherits that of Devise."""
    end, action = controller(facts, words), words.rpartition(".")[2]
    for where, name in types(facts).around((end[0], end[1].qualified)) if end else ():
        method = symbol_of(facts, where, f"{name}.{action}")
        if method is not None:
            return where, method
    return end if end and any(base.startswith("Devise::") for base in end[1].bases) else None


def template(facts: Facts, words: str) -> str:
    """The file that alone answers the action `Admin.OrdersController.show`, '' for none."""
    end, action = controller(facts, words), words.rpartition(".")[2]
    places = types(facts).around((end[0], end[1].qualified)) if end else ()
    return next((it for where, _ in places for it in _templates(facts, where, action)), "")


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
    end = controller(facts, route.handler) if _is_of_controller(route) else None
    if end is None or handler(facts, route.handler) is not None:
        return True
    action = route.handler.rpartition(".")[2]
    places = [*types(facts).around((end[0], end[1].qualified))]
    chain = [it for place in places if (it := symbol_of(facts, *place)) is not None]
    if not chain or not {it.removeprefix("::") for it in chain[-1].bases} <= {*_OPEN}:
        return True
    makes = re.compile(_MAKES.format(re.escape(action)))
    for where, _ in places:
        text = facts.tree.text(where)
        modules = [snake(name.rpartition("::")[2]) for name in _INCLUDES.findall(text)]
        files = [it for name in modules for it in facts.tree.glob(f"**/{name}.rb")]
        if any(makes.search(facts.tree.text(it)) for it in (where, *files)) or (
            _templates(facts, where, action)
        ):
            return True
    return False


def _templates(facts: Facts, where: str, action: str) -> Sequence[str]:
    """The files in the folder of a controller's views that are called as an action."""
    name = where.rpartition("controllers/")[2].removesuffix("_controller.rb")
    return facts.tree.glob(f"**/views/{name}/{action}.*", everywhere=True)


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
