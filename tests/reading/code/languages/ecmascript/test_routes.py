from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import Mount, Route
from tests.reading.code.reading import facts_of

typescript = partial(facts_of, "TypeScript")
javascript = partial(facts_of, "JavaScript")


def told(routes: tuple[Route, ...]) -> list[tuple[str, str, str, str]]:
    return [(each.method, each.path, each.owner, each.handler) for each in routes]


def test_routes_of_express_are_on_what_it_made() -> None:
    facts = javascript("""
        const express = require('express');
        const users = require('./users');
        const app = express();
        const router = express.Router();
        app.get('/a', requireAuth, home);
        app.get('setting');
        app.route('/b').get(list).post((req, res) => {});
        router.delete(['/x', '/y'], pets.remove);
        app.use('/users', users);
        app.use('/r', router);
        app.use(cors());
        app.use(require('./late'));
        cache.get('/no', home);
    """)
    assert told(facts.routes) == [
        ("GET", "/a", "app", "home"),
        ("GET", "/b", "app", "list"),
        ("POST", "/b", "app", ""),
        ("DELETE", "/x", "router", "pets.remove"),
        ("DELETE", "/y", "router", "pets.remove"),
    ]
    assert facts.routes[0].guard == "requireAuth"
    assert facts.mounts == (
        Mount("app", "users", "/users", 10),
        Mount("app", "router", "/r", 11),
        Mount("app", "./late", "", 13),
    )


def test_routes_of_hono_stand_in_chains() -> None:
    facts = typescript("""
        import { Hono } from 'hono';
        import users from './users';
        const app = new Hono<Env>().basePath('/api')
          .get('/h', (c) => c.text(''))
          .post('/i', save);
        app.route('/users', users);
        app.on(['PUT'], '/on', save);
    """)
    assert told(facts.routes) == [
        ("GET", "/h", "app", ""),
        ("POST", "/i", "app", "save"),
        ("PUT", "/on", "app", "save"),
    ]
    assert [each.line for each in facts.routes] == [5, 6, 8]
    assert facts.mounts == (Mount("", "app", "/api", 4), Mount("app", "users", "/users", 7))


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("import { FastifyInstance } from 'fastify';\n"
         "export async function routes(f: FastifyInstance) {\n"
         "  f.get('/f', h); f.route({ method: ['GET', 'PUT'], url: '/g', handler: h }) }",
         [("GET", "/f", "f", "h"), ("GET", "/g", "f", "h"), ("PUT", "/g", "f", "h")]),
        ("import { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';\n"
         "const plugin: FastifyPluginAsyncTypebox = async (f) => { f.get('/p', h) }",
         [("GET", "/p", "f", "h")]),
        ("import Router from '@koa/router';\nconst k = new Router();\nk.get('name', '/k', h);",
         [("GET", "/k", "k", "h")]),
        ("import Router from 'koa-router';\nconst k = new Router();\nk.post('tills.list', a, h);",
         [("POST", "tills.list", "k", "h")]),
        ("import express from 'express';\n"
         "class S { constructor() { this.app = express(); this.app.get('/s', h) } }",
         [("GET", "/s", "this.app", "h")]),
        ("import express from 'express';\n"
         "const app = express();\napp.get('/w', wrapped(auth.check), wrapped(show))",
         [("GET", "/w", "app", "show")]),
        ("import { Controller, Get } from '@nestjs/common';\n"
         "@Controller('cats')\nexport class Cats {\n  @Get(':id') one() {}\n  two() {}\n}",
         [("GET", ":id", "Cats", "Cats.one")]),
    ],
)  # fmt: skip
def test_other_frameworks_have_routes_too(
    text: str, routes: list[tuple[str, str, str, str]]
) -> None:
    assert told(typescript(text).routes) == routes


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("import { App } from '@tinyhttp/app';\nexport function make() { const app = new App();\n"
         "  app.use(x()).options('*', h); app.get('/:name', (q, r) => r.send()); }",
         [("OPTIONS", "*"), ("GET", "/:name")]),
        ("const service = require('restana')();\nservice.post('/r', h);", [("POST", "/r")]),
        ("const router = require('find-my-way')();\nrouter.on(['GET', 'HEAD'], '/f', h);",
         [("GET", "/f"), ("HEAD", "/f")]),
        ("import uWS from 'uWebSockets.js';\nuWS.App().any('/u', h).del('/d', h);",
         [("DELETE", "/d"), ("ANY", "/u")]),
        ("import * as Hapi from '@hapi/hapi';\nconst server = Hapi.server({ port: 1 });\n"
         "server.route([{ method: '*', path: '/a', handler: h }, { method: 'get', path: '/b' }]);",
         [("ANY", "/a"), ("GET", "/b")]),
    ],
)  # fmt: skip
def test_small_routers_are_read_alike(text: str, routes: list[tuple[str, str]]) -> None:
    assert [(each.method, each.path) for each in typescript(text).routes] == routes


@pytest.mark.parametrize(
    "text",
    [
        "app.get('/x', home)",
        "const app = new Map(); app.get('/x', home)",
        "import axios from 'axios'; axios.get('/x', options)",
        "import express from 'express'; const app = express(); app.get('view engine', x)",
        "import { Get } from './http'; class A { @Get('/x') one() {} }",
    ],
)
def test_what_only_looks_like_a_route_is_none(text: str) -> None:
    assert typescript(text).routes == ()


def test_routers_made_in_chains_are_called_by_their_variable_or_exported_as_default() -> None:
    facts = typescript("""
        import { Router } from 'express';
        import tags from './tags';
        import { app } from './app';
        const api = Router().use(tags).get('/up', up);
        export default Router().use('/api', api);
        app.route('/b').get(list);
    """)
    assert [(each.owner, each.child, each.prefix) for each in facts.mounts] == [
        ("api", "tags", ""), ("default", "api", "/api"),
    ]  # fmt: skip
    assert [(each.owner, each.path) for each in facts.routes] == [("api", "/up")]


@pytest.mark.parametrize(
    "loop",
    [
        "LIST.forEach((it) => { router.use(it.path, it.route); });",
        "for (const it of LIST) { router.use(it.path, it.route); }",
    ],
)
def test_routers_that_a_loop_takes_from_a_list_are_mounted_by_their_paths(loop: str) -> None:
    facts = facts_of(
        "JavaScript",
        f"""
        const express = require('express');
        const tills = require('./tills');
        const router = express.Router();
        const LIST = [
            {{ path: '/tills', route: tills }},
            {{ path: '/orders', route: require('./orders') }},
            {{ path: '/left' }},
        ];
        {loop}
        """,
    )
    assert [(it.owner, it.child, it.prefix) for it in facts.mounts] == [
        ("router", "tills", "/tills"), ("router", "./orders", "/orders"),
    ]  # fmt: skip


def test_a_loop_mounts_no_more_than_the_beginning_of_a_long_list() -> None:
    rows = "".join(f"{{ path: '/a{at}', route: require('./a{at}') }},\n" for at in range(300))
    facts = facts_of(
        "JavaScript",
        f"const router = require('express').Router();\nconst LIST = [{rows}];\n"
        "for (const it of LIST) { router.use(it.path, it.route); }\n",
    )
    assert len(facts.mounts) == 200


def test_a_list_of_another_variable_mounts_nothing() -> None:
    facts = facts_of(
        "JavaScript",
        """
        const express = require('express');
        const router = express.Router();
        const LIST = [{ path: '/tills', route: require('./tills') }];
        LIST.forEach((it) => { router.use(other.path, other.route); });
        LIST.filter((it) => { router.use(it.path, it.route); });
        """,
    )
    assert facts.mounts == ()


def test_a_chain_that_is_exported_is_a_router_of_its_own() -> None:
    facts = facts_of(
        "JavaScript",
        """
        import { Router } from 'express';
        import tills from './tills';
        const api = Router().use(tills);
        export default Router().use('/api', api);
        """,
    )
    assert facts.default == ""
    assert [(it.owner, it.child, it.prefix) for it in facts.mounts] == [
        ("api", "tills", ""), ("default", "api", "/api"),
    ]  # fmt: skip


def test_hooks_among_the_options_of_fastify_guard_a_route() -> None:
    (route,) = facts_of("TypeScript", """
        import { FastifyInstance } from "fastify";
        export async function routes(app: FastifyInstance) {
          app.delete("/tills/:id", {
            schema: { params: Id },
            preHandler: [log, (request, reply) => request.isAdmin(reply)],
          }, async () => {});
        }
    """).routes  # fmt: skip
    assert (route.path, route.guard, route.further) == ("/tills/:id", "request.isAdmin", ())


@pytest.mark.parametrize(
    ("loop", "verbs"),
    [
        ("routes.forEach((it) => { router[it.method](it.path, it.show); });", "GET POST"),
        ("routes.forEach(({ method, path, show }) => router[method](path, show));", "GET POST"),
        ("for (const it of routes) router[it.method](it.path, ...it.before, it.show);", "GET POST"),
        ("for (const it of routes) router[it.method.toLowerCase()](it.path, it.show);", "GET POST"),
        ("routes.map((it) => router.put(it.path, it.show));", "PUT PUT"),
        ("routes.forEach((it) => { cache[it.method](it.path, it.show); });", ""),
        ("others.forEach((it) => { router[it.method](it.path, it.show); });", ""),
    ],
)
def test_a_loop_over_a_list_puts_a_route_for_each_object_on_a_router(loop: str, verbs: str) -> None:
    routes = javascript(f"""
        const router = require('express').Router();
        const routes = [
            {{ method: 'get', path: '/tins', show: list }},
            {{ method: 'POST', path: '/tins/new', show: add, before: [requireUser] }},
        ];
        {loop}
    """).routes
    places = (("/tins", "list"), ("/tins/new", "add"))
    assert told(routes) == [
        (method, path, "router", handler)
        for method, (path, handler) in zip(verbs.split(), places, strict=False)
    ]
    assert [it.guard for it in routes if it.guard] == ["requireUser"] * ("before" in loop)


@pytest.mark.parametrize("path", ["basePath", "basePath || '/'", "basePath ?? ''"])
def test_a_router_of_hono_is_below_the_name_of_a_path_that_it_is_given(path: str) -> None:
    text = """
        import { Hono } from "hono";
        export function signing({ basePath }) {
          const app = new Hono().basePath(PATH);
          app.get("/auth/:id", async (c) => c.text(""));
        }
        """
    facts = facts_of("TypeScript", text.replace("PATH", path))
    assert [(it.owner, it.prefix) for it in facts.mounts] == [("", "{basePath}")]


@pytest.mark.parametrize(
    ("asked", "is_guard"),
    [
        ("c.req.header('Origin') !== OURS", False),
        ("req.headers.origin !== OURS", False),
        ("req.headers.origin !== OURS || !c.get('user')", True),
        ("!(await sender(c))", True),
    ],
)
def test_what_only_asks_from_which_page_a_request_comes_guards_nothing(
    asked: str, is_guard: bool
) -> None:
    facts = typescript(f"""
        import {{ Hono }} from 'hono';
        export const app = new Hono().use(async (c, next) => {{
          if ({asked}) {{ return c.json({{ message: 'Forbidden' }}, 403); }}
          await next();
        }}).get('/pets', async (c) => c.json([]));
    """)
    assert [bool(it.guard) for it in facts.routes] == [is_guard]
