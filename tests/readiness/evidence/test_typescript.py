"""Whether TypeScript checks an application, and how strictly, by its tsconfigs and their bases."""

from __future__ import annotations

import pytest

from stationmaster.readiness.evidence import typescript
from tests.support.trees import Content, facts_of

CODE: dict[str, Content] = {
    "package.json": '{"name": "a", "version": "1", "main": "a.ts"}',
    "src/a.ts": "1\n",
}
STRICT = '{"compilerOptions": {"strict": true}}'
LOOSE = '{"compilerOptions": {"strict": false}}'
PLAIN = '{"compilerOptions": {}}'


def package(rest: str) -> dict[str, Content]:
    return {**CODE, "package.json": f'{{"name": "a", "version": "1", "main": "a.ts", {rest}}}'}


STRICTNESS: dict[str, tuple[dict[str, Content], str, bool]] = {
    "by its own word": ({**CODE, "tsconfig.json": STRICT}, "pass", False),
    "that is turned off": ({**CODE, "tsconfig.json": LOOSE}, "fail", False),
    "of a base in the repository": (
        {**CODE, "tsconfig.json": '{"extends": "./base"}', "base.json": STRICT},
        "pass",
        False,
    ),
    "of several bases, the last first": (
        {
            **CODE,
            "tsconfig.json": '{"extends": ["./one.json", "./two.json"]}',
            "one.json": STRICT,
            "two.json": LOOSE,
        },
        "fail",
        False,
    ),
    "of a package of the repository": (
        {
            **CODE,
            "tsconfig.json": '{"extends": "@acme/config/strict.json"}',
            "config/package.json": '{"name": "@acme/config"}',
            "config/strict.json": STRICT,
        },
        "pass",
        False,
    ),
    "of a published base": (
        {**CODE, "tsconfig.json": '{"extends": "@tsconfig/node20/x"}'},
        "pass",
        False,
    ),
    "of a base that extends itself": (
        {**CODE, "tsconfig.json": '{"extends": "./tsconfig"}'},
        "fail",
        False,
    ),
    "of projects that it refers to": (
        {
            **CODE,
            "tsconfig.json": '{"files": [], "references": [{"path": "./src"}]}',
            "src/tsconfig.json": STRICT,
        },
        "pass",
        False,
    ),
    "of some alone": (
        {**CODE, "tsconfig.json": STRICT, "tsconfig.app.json": PLAIN},
        "pass",
        True,
    ),
    "besides those of tests": (
        {**CODE, "tsconfig.json": STRICT, "tsconfig.test.json": LOOSE},
        "pass",
        False,
    ),
    "by the version": (
        {**package('"devDependencies": {"typescript": "^6.0.0"}'), "tsconfig.json": PLAIN},
        "pass",
        False,
    ),
    "by an older version": (
        {**package('"devDependencies": {"typescript": "~5.9"}'), "tsconfig.json": PLAIN},
        "fail",
        False,
    ),
    "by the version of a catalogue": (
        {
            **package('"devDependencies": {"typescript": "catalog:"}'),
            "tsconfig.json": PLAIN,
            "pnpm-workspace.yaml": "packages: []\ncatalog:\n  typescript: 6.1.0\n",
        },
        "pass",
        False,
    ),
    "by Deno": ({"deno.json": "{}", "a.ts": "1\n"}, "pass", False),
    "without a word": (CODE, "fail", False),
}


@pytest.mark.parametrize("how", STRICTNESS)
def test_types_are_strict_where_a_configuration_or_a_version_makes_them_so(how: str) -> None:
    files, outcome, is_weak = STRICTNESS[how]
    facts = facts_of(files)

    verdict = typescript.strict(facts, facts.project.apps[0])

    assert (verdict.outcome, verdict.is_weak) == (outcome, is_weak), verdict.reason


CHECKS: dict[str, tuple[dict[str, Content], str | None]] = {
    "by a script": (
        {**package('"scripts": {"lint": "tsc --noEmit"}'), "tsconfig.json": STRICT},
        "pass",
    ),
    "by a script of that name": (
        {**package('"scripts": {"typecheck": "node check.js"}'), "tsconfig.json": STRICT},
        "pass",
    ),
    "by nothing": ({**CODE, "tsconfig.json": STRICT}, "fail"),
    "of JavaScript that asks for it": (
        {
            "package.json": '{"name": "a", "main": "a.js"}',
            "a.js": "1\n",
            "tsconfig.json": '{"compilerOptions": {"checkJs": true}}',
        },
        "fail",
    ),
    "of JavaScript alone": (
        {
            "package.json": '{"name": "a", "main": "a.js"}',
            "a.js": "1\n",
            "tsconfig.json": PLAIN,
        },
        None,
    ),
    "by Deno": ({"deno.json": "{}", "a.ts": "1\n"}, "pass"),
    "without a configuration": (CODE, None),
}


@pytest.mark.parametrize("how", CHECKS)
def test_types_are_checked_where_something_runs_the_compiler(how: str) -> None:
    files, outcome = CHECKS[how]
    facts = facts_of(files)

    verdict = typescript.checked(facts, facts.project.apps[0])

    assert (None if verdict is None else verdict.outcome) == outcome
