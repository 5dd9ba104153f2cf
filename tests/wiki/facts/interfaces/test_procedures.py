"""Procedures of tRPC with their addresses, from routers of several files."""

from __future__ import annotations

from stationmaster.wiki.facts.code.starts import starts
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.interfaces.routes import endpoints, route_sheets
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

FILES = {
    "package.json": '{"name": "pets", "dependencies": {"@trpc/server": "*"}}',
    "trpc.ts": "import { initTRPC } from '@trpc/server';\nconst t = initTRPC.create();\n"
    "export const router = t.router;\nexport const publicProcedure = t.procedure;\n"
    "export const authedProcedure = t.procedure.use(isAuthed);\n",
    "pets.ts": "import { authedProcedure, router } from './trpc';\nimport { feed } from './feed';\n"
    "export const petsRouter = router({\n"
    "  add: authedProcedure.mutation(async ({ input }) => {\n    return store(input);\n  }),\n"
    "  food: router({ give: feed }),\n});\nfunction store(pet: Pet) {\n  save(pet);\n}\n",
    "feed.ts": "import { publicProcedure } from './trpc';\n"
    "export const feed = publicProcedure.query(async () => []);\n",
    "root.ts": "import { router } from './trpc';\nexport const appRouter = router({\n"
    "  pets: lazy(() => import('./pets').then((mod) => mod.petsRouter)),\n});\n",
    "other.ts": "import { router } from './trpc';\nimport { petsRouter } from './pets';\n"
    "export const otherRouter = router({ petsRouter });\n"
    "export const idleRouter = router({ wait: publicProcedure.query(() => 1) });\n",
    "server.ts": "import { Hono } from 'hono';\nimport { trpcServer } from '@hono/trpc-server';\n"
    "import { appRouter } from './root';\nimport { path } from './paths';\n"
    "const trpc = new Hono().use('*',\n"
    "  trpcServer({ endpoint: path, router: appRouter }));\nexport default trpc;\n",
    "paths.ts": "export const path = '/api/trpc';\n",
    "main.ts": "import { Hono } from 'hono';\nimport trpc from './server';\n"
    "const app = new Hono().route('/other', trpc).get('/', home);\n",
}


def test_procedures_have_addresses_with_the_names_that_lead_to_them() -> None:
    shown = [
        (" ".join(it.methods), it.route, it.handler, [guard.name for guard in it.guards])
        for it in endpoints(facts_of(FILES))
        if it.framework == "tRPC"
    ]
    assert shown == [
        ("POST", "/api/trpc/pets.add", "petsRouter.add", ["authedProcedure"]),
        ("GET", "/api/trpc/pets.food.give", "feed", []),
        ("GET", "/{…}/wait", "idleRouter.wait", []),
    ]


def test_what_a_procedure_does_is_followed_from_it() -> None:
    station = station_of(facts_of(FILES), Spot("pets.ts", "petsRouter.add"))
    assert [step.end.name for step in station.steps] == ["store"]


def test_procedures_are_listed_by_the_routers_that_hold_them() -> None:
    names = [f"n{number}" for number in range(20)]
    held = ", ".join(f"{name}: authedProcedure.query(() => 1)" for name in names)
    files = {
        f"{word}.ts": "import { authedProcedure, router } from './trpc';\n"
        f"export const {word} = router({{ {held} }});\n"
        for word in ("cats", "dogs")
    }
    root = (
        "import { router } from './trpc';\nimport { cats } from './cats';\n"
        "import { dogs } from './dogs';\nexport const appRouter = router({ cats, dogs });\n"
    )
    sheets = route_sheets(facts_of({**FILES, **files, "root.ts": root}))
    titles = [part.title for sheet in sheets for part in sheet.parts]
    assert titles[:2] == ["/api/trpc/cats", "/api/trpc/dogs"]


def test_a_procedure_that_no_router_holds_has_no_address_and_begins_no_flow() -> None:
    lost = "import { authedProcedure } from './trpc';\n" + (
        "export const lost = authedProcedure.mutation(async ({ input }) => {\n"
        "  return store(input);\n});\nfunction store(pet: Pet) {\n  save(pet);\n}\n"
    )
    facts = facts_of({**FILES, "lost.ts": lost})
    assert "lost.ts" not in {it.path for it in endpoints(facts)}
    assert "lost.ts" not in {it.path for it in starts(facts)}
