"""NestJS: paths through modules and the application, and guards in the order in which they run."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from tests.wiki.commits import facts_of

PETS = """
import { Controller, Get, Post, UseGuards } from '@nestjs/common';

@UseGuards(TokenGuard, new RolesGuard('keeper'))
@Controller('pets')
export class PetsController {
  @Get(':id')
  one() {}

  @UseGuards(OwnerGuard)
  @Post()
  add() {}
}
"""
API = """
import { Module } from '@nestjs/common';
import { PetsController } from './pets.controller';

@Module({ imports: [Store], controllers: [PetsController] })
export class ApiModule {}
"""
APP = """
import { Module } from '@nestjs/common';
import { APP_GUARD, RouterModule, Routes } from '@nestjs/core';
import { ApiModule } from './api/api.module';
import { VERSION } from './version';

export const PREFIX = '/private';
const routes: Routes = [
  { path: PREFIX, children: [{ path: VERSION, module: ApiModule }] },
];

@Module({
  imports: [RouterModule.register(routes), ApiModule],
  providers: [Clock, { provide: APP_GUARD, useClass: CsrfGuard }],
})
export class AppModule {}
"""
MAIN = """
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function start() {
  const app = await NestFactory.create(AppModule);
  app.setGlobalPrefix('api', { exclude: ['health'] });
  await app.listen(3000);
}
start();
"""
HEALTH = """
import { Controller, Get } from '@nestjs/common';

@Controller('health')
export class HealthController {
  @Get()
  now() {}
}
"""
GATEWAY = """
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';

@WebSocketGateway(81, { namespace: 'chat' })
export class ChatGateway {
  handleConnection(client) {}

  @SubscribeMessage('said')
  said(client, text) {}
}
"""
BUILT = {
    "server/src/api/pets.controller.ts": PETS,
    "server/src/api/api.module.ts": API,
    "server/src/app.module.ts": APP,
    "server/src/version.ts": "export const VERSION = 'v2';\n",
    "server/package.json": '{"name": "server"}',
}


def answered(files: dict[str, str]) -> dict[str, Endpoint]:
    return {f"{it.methods[0]} {it.route}": it for it in endpoints(facts_of(files))}


def guards(endpoint: Endpoint) -> list[str]:
    return [guard.name for guard in endpoint.guards]


def test_modules_are_put_below_paths_also_of_constants_of_other_files() -> None:
    assert set(answered(BUILT)) == {"GET /private/v2/pets/:id", "POST /private/v2/pets"}


def test_guards_run_from_the_application_over_the_class_to_the_method() -> None:
    found = answered(BUILT)
    assert guards(found["GET /private/v2/pets/:id"]) == ["CsrfGuard", "TokenGuard", "RolesGuard"]
    assert guards(found["POST /private/v2/pets"]) == [
        "CsrfGuard", "TokenGuard", "RolesGuard", "OwnerGuard"
    ]  # fmt: skip


def test_a_prefix_of_the_application_is_before_its_routes_but_not_before_those_it_leaves_out() -> (
    None
):
    files = {
        **BUILT,
        "server/src/main.ts": MAIN,
        "server/src/health.controller.ts": HEALTH,
        "other/src/health.controller.ts": HEALTH.replace("'health'", "'other'"),
    }
    assert set(answered(files)) == {
        "GET /api/private/v2/pets/:id", "POST /api/private/v2/pets", "GET /health", "GET /other",
    }  # fmt: skip


def test_of_two_programs_each_puts_its_prefix_before_what_it_imports() -> None:
    def controller(name: str) -> str:
        return HEALTH.replace("'health'", f"'{name}'").replace("Health", name.title())

    def module(**files: str) -> str:
        imports = "".join(
            f"import {{ {name}Controller }} from '{path}';\n" for name, path in files.items()
        )
        listed = ", ".join(f"{name}Controller" for name in files)
        return (
            f"import {{ Module }} from '@nestjs/common';\n{imports}"
            f"@Module({{ controllers: [{listed}] }})\nexport class AppModule {{}}\n"
        )

    files = {
        "package.json": '{"name": "server"}',
        "src/pets.ts": controller("pets"),
        "src/live/stats.ts": controller("stats"),
        "src/live/shared.ts": controller("shared"),
        "src/main.ts": MAIN,
        "src/app.module.ts": module(Pets="./pets", Shared="./live/shared"),
        "src/live/main.ts": MAIN.replace("'api'", "'live'"),
        "src/live/app.module.ts": module(Stats="./stats"),
    }
    assert set(answered(files)) == {"GET /api/pets", "GET /live/stats", "GET /api/shared"}


def test_gateways_are_ways_in_without_the_prefix_and_guards_of_routes() -> None:
    files = {
        **BUILT,
        "server/src/main.ts": MAIN,
        "server/src/chat.gateway.ts": GATEWAY,
    }
    found = answered(files)["WEBSOCKET /chat"]
    assert (found.handler, guards(found)) == ("ChatGateway.handleConnection", [])


def test_a_decorator_of_the_project_stands_for_the_guards_that_it_is_made_of() -> None:
    auth = (
        "import { applyDecorators, UseGuards, SetMetadata } from '@nestjs/common';\n"
        "export function Signed() { return applyDecorators(UseGuards(TokenGuard)); }\n"
        "export const Keeper = () => applyDecorators(Signed(), UseGuards(KeeperGuard));\n"
        "export function Named() { return SetMetadata('name', 1); }\n"
    )
    pets = (
        "import { Controller, Get, Post } from '@nestjs/common';\n"
        "import { Keeper, Named, Signed } from './auth';\n"
        "@Signed()\n@Controller('pets')\nexport class Pets {\n"
        "  @Named()\n  @Get()\n  all() {}\n\n  @Keeper()\n  @Post()\n  add() {}\n}\n"
    )
    found = answered({"auth.ts": auth, "pets.ts": pets, "package.json": '{"name": "x"}'})
    assert guards(found["GET /pets"]) == ["TokenGuard"]
    assert guards(found["POST /pets"]) == ["TokenGuard", "KeeperGuard"]


_PUBLIC = """
import { SetMetadata } from '@nestjs/common';
export const IS_PUBLIC_KEY = 'isPublic';
export const Public = () => SetMetadata(IS_PUBLIC_KEY, true);
export const Hidden = () => SetMetadata('hidden', true);
"""
_GUARD = """
import { Injectable } from '@nestjs/common';
import { IS_PUBLIC_KEY } from './public';
@Injectable()
export class TokenGuard extends AuthGuard('jwt') {
  canActivate(context) {
    const isPublic = this.reflector.getAllAndOverride<boolean>(IS_PUBLIC_KEY, [
      context.getHandler(),
    ]);
    if (isPublic) {
      return true;
    }
    const hidden = this.reflector.get('hidden', context.getHandler());
    return super.canActivate(context);
  }
}
@Injectable()
export class RolesGuard {
  canActivate(context) {
    if (this.reflector.get('hidden', context.getHandler())) return true;
    return false;
  }
}
"""
_OPEN = """
import { Controller, Get, UseGuards, SetMetadata } from '@nestjs/common';
import { Hidden } from './public';
import { Public } from 'src/public';
import { RolesGuard, TokenGuard } from './guards';
@UseGuards(TokenGuard, RolesGuard)
@Controller('pets')
export class Pets {
  @Public()
  @Get('open')
  open() {}

  @Hidden()
  @Get('hidden')
  hidden() {}

  @SetMetadata('hidden', false)
  @Get('all')
  all() {}
}
"""


def test_a_guard_that_lets_pass_what_a_decorator_marks_is_none_of_that_route() -> None:
    found = answered({
        "src/public.ts": _PUBLIC, "src/guards.ts": _GUARD, "src/pets.ts": _OPEN,
        "package.json": '{"name": "x"}', "tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
    })  # fmt: skip
    told = {route: (guards(it), it.is_public) for route, it in found.items()}
    assert told == {
        "GET /pets/open": (["RolesGuard"], True),
        "GET /pets/hidden": (["TokenGuard"], True),
        "GET /pets/all": (["TokenGuard", "RolesGuard"], False),
    }


def test_middleware_of_a_module_guards_the_routes_that_it_is_put_before() -> None:
    module = (
        'import { Module, RequestMethod } from "@nestjs/common";\n'
        "@Module({ controllers: [Tills, Orders] })\n"
        "export class Shop {\n  configure(consumer) {\n"
        "    consumer.apply(AuthMiddleware, Logger).exclude({ path: 'tills/open', "
        "method: RequestMethod.GET })\n"
        "      .forRoutes({ path: 'tills/:id', method: RequestMethod.PUT },\n"
        "        'tills/open', Orders);\n"
        "  }\n}\n"
    )
    controllers = (
        'import { Controller, Get, Put } from "@nestjs/common";\n'
        '@Controller("tills")\nexport class Tills {\n'
        '  @Get(":id")\n  one() {}\n  @Put(":till")\n  set() {}\n'
        '  @Get("open")\n  open() {}\n  @Put("open")\n  close() {}\n}\n'
        '@Controller("orders")\nexport class Orders {\n  @Get()\n  all() {}\n}\n'
    )
    main = (
        'import { NestFactory } from "@nestjs/core";\nimport { Shop } from "./shop.module";\n'
        "async function run() { const app = await NestFactory.create(Shop); app.listen(1); }\n"
    )
    found = endpoints(
        facts_of({
            "package.json": '{"name": "x"}', "src/main.ts": main, "src/shop.module.ts": module,
            "src/tills.ts": controllers,
        })
    )  # fmt: skip
    assert {(it.methods[0], it.route): [guard.name for guard in it.guards] for it in found} == {
        ("GET", "/orders"): ["AuthMiddleware"], ("GET", "/tills/:id"): [],
        ("GET", "/tills/open"): [], ("PUT", "/tills/:till"): ["AuthMiddleware"],
        ("PUT", "/tills/open"): ["AuthMiddleware"],
    }  # fmt: skip
