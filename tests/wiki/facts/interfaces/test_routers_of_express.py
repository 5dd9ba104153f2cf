"""Routes of Express on an application that another file made."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

SERVER = """
const express = require("express");

class Server {
    app = undefined;

    constructor() {
        this.app = express();
    }

    static getInstance() {
        return new Server();
    }
}

module.exports = { Server };
"""
APP = "const express = require('express');\nlet app = express();\n"
ROUTES = "app.get('/metrics', requireKey, (req, res) => {});\napp.use('/api', api);\n"
API = (
    "const express = require('express');\nconst router = express.Router();\n"
    "router.get('/pets', (req, res) => {});\nmodule.exports = router;\n"
)


def shown(files: dict[str, str]) -> list[tuple[str, str]]:
    found = endpoints(facts_of({"package.json": '{"name": "x"}', **files}))
    return [(each.route, each.framework) for each in found]


@pytest.mark.parametrize(
    ("server", "main"),
    [
        (SERVER, "const { Server } = require('./server');\nconst server = Server.getInstance();\n"
                 "const app = server.app;\n"),
        (SERVER, "const { Server } = require('./server');\nconst server = Server.getInstance();\n"
                 "const { app } = server;\n"),
        (APP + "module.exports = app;\n", "const app = require('./server');\n"),
        (APP + "module.exports = { app };\n", "const { app } = require('./server');\n"),
        (APP + "export default app;\n", "import app from './server';\n"),
        (APP + "export { app };\n", "import { app } from './server';\n"),
    ],
)  # fmt: skip
def test_an_application_of_another_file_has_the_routes_that_are_put_on_it(
    server: str, main: str
) -> None:
    main = f"{main}const api = require('./api');\n{ROUTES}"
    files = {"server.js": server, "main.js": main, "api.js": API}
    assert shown(files) == [("/api/pets", "Express"), ("/metrics", "Express")]


def test_an_application_is_also_used_as_the_property_that_holds_it() -> None:
    main = (
        "const { Server } = require('./server');\nconst server = Server.getInstance();\n"
        "server.app.post('/now', (req, res) => {});\n"
    )
    assert shown({"server.js": SERVER, "main.js": main}) == [("/now", "Express")]


def test_what_no_framework_made_has_no_routes_though_it_has_methods_of_that_name() -> None:
    client = "import axios from 'axios';\nexport const api = axios.create();\n"
    main = (
        "import { api } from './client';\nconst cache = api.cache;\n"
        "api.get('/pets', options);\ncache.get('/pets', options);\n"
    )
    assert shown({"client.js": client, "main.js": main, "app.js": APP}) == []


@pytest.mark.parametrize(
    ("routes", "main"),
    [
        ("module.exports = (app) => {\n  app.get('/pets', list);\n};\n",
         "require('./pets')(app);\n"),
        ("module.exports = function (server) {\n  server.get('/pets', list);\n};\n",
         "const pets = require('./pets');\npets(app);\n"),
        ("export function routes(app) {\n  app.get('/pets', list);\n}\n",
         "import { routes } from './pets';\nroutes(app);\n"),
    ],
)  # fmt: skip
def test_a_function_that_is_given_an_application_puts_routes_on_it(routes: str, main: str) -> None:
    assert shown({"main.js": f"{APP}{main}", "pets.js": routes}) == [("/pets", "Express")]
    assert shown({"main.js": APP, "pets.js": routes}) == []


def test_routers_are_mounted_by_the_names_that_other_files_see_them_by() -> None:
    files = {
        "routes/index.js": "module.exports = require('./all');\n",
        "routes/all.js": "const { Router } = require('express');\n"
        "const pets = require('../pets');\nconst inner = Router();\n"
        "inner.use('/v1', pets);\nmodule.exports = { api: inner };\n",
        "pets.js": API,
        "main.js": f"{APP}const routes = require('./routes');\napp.use('/api', routes.api);\n",
    }
    assert shown(files) == [("/api/v1/pets", "Express")]


def test_an_application_of_koa_is_put_below_a_path_by_its_own_function() -> None:
    files = {
        "main.js": "import Koa from 'koa';\nimport mount from 'koa-mount';\n"
        "import api from './api';\nconst app = new Koa();\napp.use(mount('/api', api));\n",
        "api.js": "import Koa from 'koa';\nimport Router from 'koa-router';\n"
        "import tills from './tills';\nconst api = new Koa();\nconst router = new Router();\n"
        "router.use('/', tills.routes());\napi.use(router.routes());\nexport default api;\n",
        "tills.js": "import Router from 'koa-router';\nconst router = new Router();\n"
        "router.post('tills.list', list);\nexport default router;\n",
    }  # fmt: skip
    assert shown(files) == [("/api/tills.list", "Koa")]


def test_a_router_of_the_workspace_is_mounted_and_what_stands_beside_one_is_not() -> None:
    files = {
        "package.json": '{"name": "x", "workspaces": ["apps/*", "packages/*"]}',
        "packages/api/package.json": '{"name": "@x/api", "main": "index.ts"}',
        "packages/api/index.ts": "import { Hono } from 'hono';\n"
        "import pets from './pets';\nimport metrics, { counted } from './metrics';\n"
        "import { logged, names } from './names';\n"
        "const app = new Hono();\napp.use('*', counted).use(logged).route('/metrics', metrics)"
        ".route('/pets', pets);\napp.route('/names', names);\nexport default app;\n",
        "packages/api/pets.ts": "import { Hono } from 'hono';\n"
        "const app = new Hono().get('/:id', show);\nexport default app;\n",
        "packages/api/metrics.ts": "import { Hono } from 'hono';\n"
        "export const { counted } = prometheus();\n"
        "const app = new Hono().get('/all', print);\nexport default app;\n",
        "packages/api/names.ts": "import { Hono } from 'hono';\n"
        "export async function logged(c, next) { await next(); }\n"
        "export const names = new Hono();\nnames.get('/first', print);\n",
        "apps/web/package.json": '{"name": "web", "dependencies": {"@x/api": "*"}}',
        "apps/web/route.ts": "import { Hono } from 'hono';\nimport cors from 'cors';\n"
        "import all from '@x/api';\n"
        "const app = new Hono().basePath('/api').use(cors).route('/', all);\n",
    }
    assert [path for path, _ in shown(files)] == [
        "/api/metrics/all",
        "/api/names/first",
        "/api/pets/:id",
    ]


def test_all_that_may_refuse_a_request_are_its_guards_and_what_only_goes_on_is_none() -> None:
    guards = (
        "exports.jwt = (req, res, next) => { if (!req.user) throw new Error(); next(); };\n"
        "exports.admin = (req, res, next) => { if (!req.user.admin) throw new Error(); next(); };\n"
        "exports.protect = function protect(req, res, next) { res.locals.x = 1; next(); };\n"
        "exports.verify = function verify(req) { if (validationResult(req)) throw new Error(); };\n"
    )
    main = (
        f"{APP}const auth = require('./auth');\nconst validators = require('./validators');\n"
        "app.get('/x', auth.jwtLoose, auth.jwt, auth.protect, wrapped(auth.admin), auth.verify,\n"
        "  validators.login, (req, res) => {});\n"
    )
    facts = facts_of({"package.json": "{}", "auth.js": guards, "main.js": main})
    found = [guard.name for each in endpoints(facts) for guard in each.guards]
    assert found == ["auth.jwt", "auth.admin"]
