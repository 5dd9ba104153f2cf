"""Procedures of tRPC, by the shape of what routers are given."""

from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import FileFacts, Mount
from tests.reading.code.reading import facts_of

typescript = partial(facts_of, "TypeScript")


def told(facts: FileFacts) -> list[tuple[str, str, str, str, str]]:
    return [(it.method, it.path, it.owner, it.handler, it.guard) for it in facts.routes]


def test_a_router_has_the_procedures_that_it_is_given_by_name_also_within_others() -> None:
    facts = typescript("""
        import { createScopedAuthedProcedure, publicProcedure, router } from '../trpc';
        import { list } from './list';
        const petsProcedure = createScopedAuthedProcedure('pets');
        export const petsRouter = router({
          /** Adds a pet. */
          add: petsProcedure.input(z.object({ name: z.string() })).mutation(async ({ input }) => {
            await store(input);
          }),
          all: publicProcedure.query(list),
          admin: router({ changed: adminProcedure.subscription(() => watch()) }),
        });
    """)
    assert told(facts) == [
        ("POST", "add.", "petsRouter", "petsRouter.add", "petsProcedure"),
        ("GET", "all.", "petsRouter", "list", ""),
        ("GET", "admin.changed.", "petsRouter", "petsRouter.admin.changed", "adminProcedure"),
    ]
    methods = [(it.qualified, it.doc) for it in facts.symbols if it.kind == "method"]
    assert methods == [("petsRouter.add", "Adds a pet."), ("petsRouter.admin.changed", "")]
    assert ("store", "petsRouter.add") in {(it.name, it.caller) for it in facts.calls}


def test_a_procedure_of_its_own_is_a_function_that_routers_name() -> None:
    facts = typescript("""
        export const addPet = authedProcedure.input(Pet).mutation(async ({ input }) => save(input));
        export const petsRouter = createTRPCRouter({ add: addPet, cats: { all: catsRoute }, dogs,
          later: lazy(() => import('./late').then((mod) => mod.lateRouter)) });
        export const all = mergeRouters(petsRouter, others);
        export const served = trpcServer({ endpoint: '/api/trpc', router: all });
        app.use('/trpc', createExpressMiddleware({ router: all, createContext }));
    """)
    assert told(facts) == [("POST", "", "addPet", "addPet", "authedProcedure")]
    assert facts.symbols[0].kind == "function"
    assert facts.mounts == (
        Mount("petsRouter", "addPet", "add.", 3),
        Mount("petsRouter", "catsRoute", "cats.all.", 3),
        Mount("petsRouter", "dogs", "dogs.", 3),
        Mount("petsRouter", "import('./late').lateRouter", "later.", 4),
        Mount("all", "petsRouter", "", 5),
        Mount("all", "others", "", 5),
        Mount("", "all", "/api/trpc", 6),
        Mount("", "all", "/trpc", 7),
    )


@pytest.mark.parametrize(
    "text",
    [
        "const api = make({ all: build.query(() => '/pets') });",
        "const pets = router({ all: db.query(sql) });",
        "import { createRouter } from 'vue-router';\nconst r = createRouter({ routes });",
        "const docs = createOpenApiHandler({ endpoint: '/api', router: all });",
    ],
)
def test_what_only_looks_like_procedures_is_none(text: str) -> None:
    facts = typescript(text)
    assert (facts.routes, facts.mounts) == ((), ())


def test_what_refuses_before_it_lets_pass_is_a_guard_of_the_procedures_that_use_it() -> None:
    facts = typescript("""
        import { TRPCError, initTRPC } from '@trpc/server';
        const isMember = t.middleware(({ ctx, next }) => {
          if (!ctx.member) throw new TRPCError({ code: 'FORBIDDEN' });
          return next();
        });
        const isFresh = t.middleware(({ ctx, next }) => {
          if (!ctx.user) return next();
          throw new TRPCError({ code: 'UNAUTHORIZED' });
        });
        const isQuick = t.middleware(({ type, ctx }) => {
          if (isClosed && type === 'mutation') throw new TRPCError({ code: 'FORBIDDEN' });
          if (ctx.isSlow) throw new TRPCError({ code: 'TIMEOUT' });
        });
        export const publicProcedure = t.procedure.use(isFresh).use(isQuick);
        export const ownProcedure = publicProcedure.use(async ({ ctx, next }) => {
          if (!ctx.user) throw new TRPCError({ message: 'Sign in', code: 'UNAUTHORIZED' });
          return next();
        });
        export const clubProcedure = ownProcedure.use(isMember);
        export const pets = router({ add: clubProcedure.use(isPaying).mutation(() => 1) });
    """)
    assert facts.wiring.middleware == (
        ("isMember", ("isMember",)),
        ("publicProcedure", ("@isFresh", "@isQuick")),
        ("ownProcedure", ("@publicProcedure", "ownProcedure")),
        ("clubProcedure", ("@ownProcedure", "@isMember")),
    )
    assert [it.further for it in facts.routes] == [("@clubProcedure", "@isPaying")]


def test_a_procedure_that_lets_those_pass_who_do_not_say_who_they_are_has_no_guard() -> None:
    facts = typescript("""
        export const add = maybeAuthenticatedProcedure.mutation(async ({ input }) => save(input));
        export const all = optionalAuthedProcedure.query(async () => []);
        export const own = authenticatedProcedure.query(async () => []);
    """)
    assert [it[3:] for it in told(facts)] == [
        ("add", ""), ("all", ""), ("own", "authenticatedProcedure"),
    ]  # fmt: skip
