"""Where Python programs begin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Entry

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.python.module import Module

_APPS = frozenset(
    {
        "fastapi.FastAPI",
        "flask.Flask",
        "starlette.applications.Starlette",
        "quart.Quart",
        "sanic.Sanic",
        "litestar.Litestar",
        "aiohttp.web.Application",
        "bottle.Bottle",
        "django.core.wsgi.get_wsgi_application",
        "django.core.asgi.get_asgi_application",
        "channels.routing.ProtocolTypeRouter",
        "celery.Celery",
        "apiflask.APIFlask",
        "connexion.FlaskApp",
        "connexion.AsyncApp",
        "falcon.App",
        "falcon.asgi.App",
    }
)
_SERVERS = frozenset(
    {
        "uvicorn.run",
        "aiohttp.web.run_app",
        "hypercorn.asyncio.serve",
        "waitress.serve",
        "gradio.launch",
        "wsgiref.simple_server.make_server",
    }
)
_PACKAGES = sorted({name.partition(".")[0] for name in _APPS | _SERVERS})
_HANDLERS = frozenset({"lambda_handler", "handler"})


def read(module: Module) -> tuple[Entry, ...]:
    """The apps, servers, handlers and `__main__` guards of a module, by line and name."""
    found = [*_apps(module), *_servers(module), *_handlers(module)]
    for guard in module.guards:
        text = module.source.line(guard.child_by_field_name("condition"), 40)
        if "__main__" in text:
            found.append(Entry("__main__", "main", line_of(guard)))
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _apps(module: Module) -> Iterator[Entry]:
    for constant in module.constants:
        if constant.value is not None and constant.value.type == "call":
            origin = module.origin(constant.value.child_by_field_name("function"))
            if origin in _APPS:
                yield Entry(constant.name, "app", line_of(constant.node), constant.name)


def _servers(module: Module) -> Iterator[Entry]:
    for called, origin in module.calls_of(*_PACKAGES):
        maker, _, name = origin.rpartition(".")
        if origin in _SERVERS or (name == "run" and maker in _APPS):
            told = origin if origin in _SERVERS else f"{module.text(called.of)}.run"
            caller = module.scopes.at(called.node.start_byte)
            yield Entry(told, "server", line_of(called.node), caller)


def _handlers(module: Module) -> Iterator[Entry]:
    """Functions of serverless platforms, by their name and their two parameters."""
    for definition in module.definitions:
        if definition.name in _HANDLERS and not definition.is_class:
            parameters = definition.node.child_by_field_name("parameters")
            names = [
                module.text(node).partition(":")[0].strip()
                for node in (parameters.named_children if parameters else ())
            ]
            if names == ["event", "context"]:
                yield Entry(definition.name, "handler", line_of(definition.node), definition.name)
