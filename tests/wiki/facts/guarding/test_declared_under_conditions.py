"""Guards that are put before handlers only if something holds."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

_PACKAGE = '{"dependencies": {"express": "4", "@nestjs/common": "1", "@nestjs/core": "1"}}'
_REFUSING = "(req, res, next) => { if (!req.user) return res.sendStatus(401); next() }"
_ROUTES_OF_RAILS = "Rails.application.routes.draw do\n  get '/', to: 'tills#index'\nend\n"


def guards(files: dict[str, str]) -> list[str]:
    (route,) = endpoints(facts_of(files))
    return [guard.words for guard in route.guards]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (
            'http_basic_authenticate_with name: "a", password: "b" if Shop.password',
            ["http_basic_authenticate_with, if: Shop.password"],
        ),
        (
            'http_basic_authenticate_with(\n    name: "a"\n  ) unless Shop.config["open"]',
            ['http_basic_authenticate_with, unless: Shop.config["open"]'],
        ),
        (
            "if Shop.is_closed\n    before_action :require_owner\n  end",
            ["require_owner, if: Shop.is_closed"],
        ),
        (
            "before_action :require_owner, if: :late? unless Shop.is_open",
            ["require_owner, if: :late? and unless Shop.is_open"],
        ),
        ("before_action -> { head 403 if late? }, only: :index", ["head 403 if late?"]),
        ('before_action :require_owner, with: "only if asked"', ["require_owner"]),
    ],
)
def test_a_filter_of_rails_has_the_condition_behind_its_statement_or_around_it(
    stated: str, expected: list[str]
) -> None:
    controller = (
        f"class TillsController < ActionController::Base\n  {stated}\n  def index; end\nend\n"
    )
    assert expected == guards({
        "Gemfile": "gem 'rails'\n", "config/routes.rb": _ROUTES_OF_RAILS,
        "app/controllers/tills_controller.rb": controller,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("if (own.auth) {\n  app.use(requireUser)\n}", ["requireUser, if (own.auth)"]),
        (
            "if (own.keys) app.use(requireKey)\nelse app.use(requireUser)",
            ["requireKey, if (own.keys)", "requireUser, unless (own.keys)"],
        ),
        ("own.auth && app.use(requireUser)", ["requireUser, if own.auth"]),
    ],
)
def test_what_express_uses_has_the_branch_that_it_is_in(stated: str, expected: list[str]) -> None:
    assert expected == guards({
        "package.json": _PACKAGE,
        "app.js": "const express = require('express')\n"
        "const { requireKey, requireUser } = require('./who')\n"
        f"const app = express()\n{stated}\napp.get('/', show)\n",
        "who.js": f"exports.requireKey = {_REFUSING}\nexports.requireUser = {_REFUSING}\n",
    })  # fmt: skip


def test_what_runs_before_all_handlers_of_flask_has_the_condition_around_it() -> None:
    assert guards({
        "app.py": "from flask import Flask, abort\n\napp = Flask(__name__)\n"
        "if settings.AUTH:\n    @app.before_request\n    def check_login():\n"
        "        if not user():\n            abort(401)\n\n"
        "@app.route('/')\ndef show(): ...\n",
    }) == ["check_login, if settings.AUTH"]  # fmt: skip


def test_a_guard_of_all_handlers_of_nest_has_the_condition_around_it() -> None:
    assert guards({
        "package.json": _PACKAGE,
        "main.ts": "import { NestFactory } from '@nestjs/core';\n"
        "import { UserGuard } from './guard';\nasync function start() {\n"
        "  const app = await NestFactory.create(Shop);\n  if (own.auth) {\n"
        "    app.useGlobalGuards(new UserGuard());\n  }\n}\n",
        "guard.ts": "import { CanActivate } from '@nestjs/common';\n"
        "export class UserGuard implements CanActivate {}\n",
        "tills.ts": "import { Controller, Get } from '@nestjs/common';\n"
        "@Controller('tills')\nexport class Tills {\n  @Get()\n  all() {}\n}\n",
    }) == ["UserGuard, if (own.auth)"]  # fmt: skip


def test_a_layer_of_axum_has_the_condition_that_is_not_around_its_route_as_well() -> None:
    assert guards({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use axum::{middleware, routing::get, Router};\n\n"
        "fn app(own: Own) -> Router {\n"
        '    let mut app = Router::new().route("/", get(show));\n'
        "    if own.auth {\n        app = app.layer(middleware::from_fn(require_user));\n    }\n"
        "    app\n}\n\nasync fn show() {}\n",
    }) == ["require_user, if own.auth"]  # fmt: skip


def test_what_a_constructor_of_laravel_asks_has_the_condition_around_it() -> None:
    assert guards({
        "composer.json": '{"require": {"laravel/framework": "1"}}',
        "routes/api.php": "<?php\nuse App\\Http\\Controllers\\Tills;\n"
        "Route::get('/tills', [Tills::class, 'all']);\n",
        "app/Http/Controllers/Tills.php": "<?php\nnamespace App\\Http\\Controllers;\n"
        "class Tills extends Controller {\n  public function __construct() {\n"
        "    if (config('own.auth')) {\n      $this->middleware('auth');\n    }\n  }\n"
        "  public function all() {}\n}\n",
    }) == ["auth, if (config('own.auth'))"]  # fmt: skip
