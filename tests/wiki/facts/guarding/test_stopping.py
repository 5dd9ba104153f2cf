"""What ends a handler of JavaScript before it does what depends on the request."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

ANSWERS = """
export function denied(error?: object) {
  return Response.json({ error }, { status: 401 });
}
export function missing() {
  return Response.json({}, { status: 404 });
}
"""
REQUESTS = """
import { denied, missing } from './answers';
export async function parsed(request, schema, options) {
  let error;
  let user = null;
  if (!schema.fits(request)) {
    error = () => missing();
  }
  if (!options?.isOpen) {
    user = await userOf(request);
    if (!user) {
      error = () => denied();
    }
  }
  return { user, error };
}
export async function checked(request, options) {
  let error;
  if (options.strict) {
    error = denied();
  }
  return { error };
}
export function withUser(handler) {
  return async (request) => {
    const user = await userOf(request);
    if (!user) {
      return denied();
    }
    return handler(request, user);
  };
}
export function withName(handler) {
  return async (request) => {
    const answer = await handler(request);
    if (!answer) {
      return denied();
    }
    return answer;
  };
}
export function withRole(handler, role) {
  return async (request) => {
    if (role && request.role !== role) {
      return denied();
    }
    return handler(request);
  };
}
"""
IMPORTS = (
    "import { checked, parsed, withName, withRole, withUser } from '../../lib/requests';\n"
    "import { denied, missing } from '../../lib/answers';\n"
)
ENDING = "\n  if (error) {\n    return error();\n  }\n"


def guards(handler: str) -> list[str]:
    facts = facts_of({
        "package.json": '{"name": "shop", "dependencies": {"next": "15"}}',
        "lib/answers.ts": ANSWERS, "lib/requests.ts": REQUESTS,
        "app/tills/route.ts": f"{IMPORTS}\n{handler}",
    })  # fmt: skip
    return [guard.words for route in endpoints(facts) for guard in route.guards]


@pytest.mark.parametrize(
    ("first", "stated"),
    [
        (f"const {{ error }} = await parsed(request, schema);{ENDING}", ["parsed"]),
        (f"const {{ error }} = await parsed(request, schema, {{ isOpen: true }});{ENDING}", []),
        (f"const {{ error }} = await checked(request);{ENDING}", []),
        (
            "if (!owns(request)) {\n    return denied();\n  }",
            ["refuses with 401 if !owns(request)"],
        ),
        ("if (!request.till) {\n    return missing();\n  }\n  if (!user) return denied();", []),
    ],
)
def test_what_a_handler_returns_of_another_function_guards_it_where_that_certainly_refuses(
    first: str, stated: list[str]
) -> None:
    assert guards(f"export async function GET(request) {{\n  {first}\n  return 1;\n}}\n") == stated


@pytest.mark.parametrize(
    ("wrapper", "stated"),
    [
        ("withUser(async (request) => {\n  return 1;\n})", ["withUser"]),
        ("withName(async (request) => {\n  return 1;\n})", []),
        ("withRole(async (request) => {\n  return 1;\n}, role)", []),
    ],
)
def test_a_function_of_another_file_around_a_handler_guards_it_if_it_answers_before_it(
    wrapper: str, stated: list[str]
) -> None:
    assert guards(f"export const GET = {wrapper};\n") == stated


def test_a_function_around_what_a_file_exports_by_default_guards_it() -> None:
    facts = facts_of({
        "package.json": '{"name": "shop", "dependencies": {"next": "15"}}',
        "lib/answers.ts": ANSWERS, "lib/requests.ts": REQUESTS,
        "pages/api/tills.ts": f"{IMPORTS}\nasync function tills(request) {{\n  return 1;\n}}\n\n"
        "export default withUser(tills);\n",
    })  # fmt: skip
    assert [guard.name for it in endpoints(facts) for guard in it.guards] == ["withUser"]
