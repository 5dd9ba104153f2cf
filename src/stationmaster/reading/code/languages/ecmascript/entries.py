"""Where programs in JavaScript begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Entry, EntryKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.ecmascript.module import Module

_CALLS: dict[str, EntryKind] = {
    "express>listen": "server",
    "express:express>listen": "server",
    "fastify>listen": "server",
    "fastify:Fastify>listen": "server",
    "fastify:fastify>listen": "server",
    "koa>listen": "server",
    "polka>listen": "server",
    "elysia:Elysia>listen": "server",
    "restify:createServer>listen": "server",
    "@hono/node-server:serve": "server",
    "http:createServer": "server",
    "https:createServer": "server",
    "http2:createServer": "server",
    "net:createServer": "server",
    "@nestjs/core:NestFactory.create": "server",
    "apollo-server:ApolloServer": "server",
    "@apollo/server:ApolloServer": "server",
    "react-dom/client:createRoot": "app",
    "react-dom/client:hydrateRoot": "app",
    "react-dom/client:default.createRoot": "app",
    "react-dom:render": "app",
    "vue:createApp": "app",
    "vue:createSSRApp": "app",
    "svelte:mount": "app",
    "solid-js/web:render": "app",
    "preact:render": "app",
    "@angular/platform-browser:bootstrapApplication": "app",
    "@angular/platform-browser-dynamic:platformBrowserDynamic": "app",
    "citty:runMain": "main",
    "react-native:AppRegistry.registerComponent": "app",
}
_MODULES = sorted({re.split("[:>]", name)[0] for name in _CALLS})
_GLOBAL = {"Bun": "serve", "Deno": "serve"}
_APPS = frozenset({"hono:Hono", "elysia:Elysia"})


def read(module: Module) -> tuple[Entry, ...]:
    """The servers, apps and handlers of a module, and the `#!` of a script; by line and name."""
    found = [*_called(module), *_exported(module)]
    if module.source.data.startswith(b"#!"):
        found.append(Entry("#!", "script", 1))
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _called(module: Module) -> Iterator[Entry]:
    for called, origin in module.calls_of(*_MODULES):
        kind = _CALLS.get(origin)
        if kind is not None:
            caller = module.scopes.at(called.node.start_byte)
            name = origin.replace(">", ".").replace(":", ".")
            yield Entry(name, kind, line_of(called.node), caller)
    for called in module.calls:
        if called.of is not None and _GLOBAL.get(module.source.line(called.of, 10)) == called.name:
            caller = module.scopes.at(called.node.start_byte)
            name = f"{module.text(called.of)}.{called.name}"
            yield Entry(name, "server", line_of(called.node), caller)


def _exported(module: Module) -> Iterator[Entry]:
    """`export default app` of what serves by itself, and handlers of serverless platforms."""
    for name, made in module.made_by(*sorted(_APPS)):
        if "default" in module.exports.names and name in module.exports.local and made.call:
            yield Entry(name, "app", line_of(made.call), name)
    for definition in module.definitions:
        if (
            definition.name == "handler"
            and definition.kind == "function"
            and "handler" in module.exports.names
        ):
            head = module.source.line(definition.node, 200)
            if "event" in head:
                yield Entry(definition.name, "handler", line_of(definition.node), definition.name)
