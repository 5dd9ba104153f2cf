"""The tools, one row each: what an agent reads about it, and the operations that answer it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from stationmaster import clock
from stationmaster.errors import BadRequest, NotFound, StationmasterError

Arguments = Mapping[str, Any]
Answer = Callable[["Asking", Arguments], Awaitable[Any]]

_REPOSITORY = {
    "type": "string",
    "maxLength": 2000,
    "description": "The repository's address, as git remotes have it, or its id.",
}
_QUESTION = {"type": "string", "minLength": 1, "maxLength": 500}


class Tool(NamedTuple):
    """`properties` is JSON Schema by argument; all that are not in `optional` are required."""

    name: str
    description: str
    answer: Answer
    properties: Mapping[str, dict[str, Any]] = MappingProxyType({})
    optional: frozenset[str] = frozenset()
    is_read_only: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments, which allows no others."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": [name for name in self.properties if name not in self.optional],
            "additionalProperties": False,
        }


class Asking:
    """Questions to the API through `client`, which carries the caller's credential."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def json(self, path: str, **params: Any) -> Any:
        """The JSON of a read. Raises StationmasterError with what the API refused."""
        return (await self._sent("GET", path, params=params)).json()

    async def text(self, path: str) -> str:
        """The text of a read. Raises as `json`."""
        return (await self._sent("GET", path)).text

    async def post(self, path: str, body: Any) -> Any:
        """The JSON of a change. Raises as `json`."""
        return (await self._sent("POST", path, json=body)).json()

    async def _sent(self, method: str, path: str, **content: Any) -> httpx.Response:
        answer = await self._client.request(method, path, **content)
        if answer.is_error:
            raise _refusal(answer)
        return answer


def _refusal(answer: httpx.Response) -> StationmasterError:
    try:
        problem = answer.json()
        detail, code = problem["detail"], problem.get("metadata", {}).get("code")
    except (ValueError, KeyError, TypeError, AttributeError):
        detail, code = f"The server answered {answer.status_code}.", None
    return StationmasterError(str(detail), code=code)


async def _repositories(asking: Asking, arguments: Arguments) -> Any:
    return await asking.json("/api/platform/v1/repositories", limit=100, **arguments)


async def _run_id(asking: Asking, repository: str) -> str:
    """The newest complete wiki of a repository. Raises NotFound."""
    address = await _address(asking, repository)
    history = await asking.json(f"/api/v0/wiki/history/{quote(address, safe='')}")
    for run in history["wikiRuns"]:
        if run["status"] == "completed":
            return str(run["wikiRunId"])
    raise NotFound("This repository has no wiki.", code="no_wiki")


async def _address(asking: Asking, repository: str) -> str:
    if "/" in repository:
        return repository
    record = await asking.json(f"/api/platform/v1/repositories/{quote(repository, safe='')}")
    return str(record["url"])


async def _wiki_structure(asking: Asking, arguments: Arguments) -> Any:
    run = await _run_id(asking, arguments["repository"])
    return await asking.text(f"/api/platform/v1/wiki/runs/{run}/files/llms.txt")


async def _wiki_page(asking: Asking, arguments: Arguments) -> Any:
    run = await _run_id(asking, arguments["repository"])
    name = arguments["path"].removesuffix(".md") + ".md"
    return await asking.text(f"/api/platform/v1/wiki/runs/{run}/files/{quote(name)}")


async def _wiki_search(asking: Asking, arguments: Arguments) -> Any:
    run = await _run_id(asking, arguments["repository"])
    return await asking.json(f"/api/v0/wiki/{run}/search", q=arguments["words"])


async def _wiki_ask(asking: Asking, arguments: Arguments) -> Any:
    run = await _run_id(asking, arguments["repository"])
    return await asking.json(f"/api/platform/v1/wiki/runs/{run}/ask", **_question(arguments))


def _question(arguments: Arguments) -> dict[str, str]:
    parameters = {"answer": "true"} if arguments.get("answer") else {}
    return {"q": arguments["question"], **parameters}


async def _readiness(asking: Asking, arguments: Arguments) -> Any:
    base = "/api/platform/v1/readiness"
    reports = await asking.json(
        "/api/organization/agent-readiness-reports", repoId=arguments["repository"], limit=1
    )
    if not reports["reports"]:
        raise NotFound("This repository has no readiness report.", code="no_report")
    report_id = reports["reports"][0]["reportId"]
    level = await asking.json(f"{base}/reports/{report_id}/level")
    fixes = await asking.json(f"{base}/reports/{report_id}/fixes")
    return {"reportId": report_id, **level, **fixes}


async def _findings(asking: Asking, arguments: Arguments) -> Any:
    address = await _address(asking, arguments["repository"])
    return await asking.json("/api/platform/v1/ci/findings", repository=address, limit=100)


async def _my_usage(asking: Asking, arguments: Arguments) -> Any:
    today = clock.today()
    days = int(arguments.get("days", 30))
    closed = await asking.json(
        "/api/platform/v1/me/usage",
        startDate=str(today - timedelta(days=days)),
        endDate=str(today - timedelta(days=1)),
    )
    return {"closedDays": closed, "today": await asking.json("/api/platform/v1/me/today")}


async def _my_limits(asking: Asking, _: Arguments) -> Any:
    return await asking.json("/api/platform/v1/limits/effective")


async def _ask_for_more(asking: Asking, arguments: Arguments) -> Any:
    return await asking.post("/api/platform/v1/limits/requests", dict(arguments))


TOOLS = (
    Tool(
        "list_repositories",
        "Repositories that are registered here, by address, with their ids.",
        _repositories,
        {"cursor": {"type": "string", "description": "`nextCursor` of the previous page."}},
        frozenset({"cursor"}),
    ),
    Tool(
        "wiki_structure",
        "The pages of a repository's wiki: a line each, with the path that `wiki_page` takes.",
        _wiki_structure,
        {"repository": _REPOSITORY},
    ),
    Tool(
        "wiki_page",
        "One page of a repository's wiki as Markdown, with citations of files and lines.",
        _wiki_page,
        {
            "repository": _REPOSITORY,
            "path": {"type": "string", "maxLength": 200, "description": "Such as `architecture`."},
        },
    ),
    Tool(
        "wiki_search",
        "Pages of a repository's wiki that contain the words, best match first, with the text "
        "around them.",
        _wiki_search,
        {"repository": _REPOSITORY, "words": _QUESTION},
    ),
    Tool(
        "wiki_ask",
        "Passages of a repository's wiki and functions of its code that answer a question, with "
        "citations.",
        _wiki_ask,
        {
            "repository": _REPOSITORY,
            "question": _QUESTION,
            "answer": {
                "type": "boolean",
                "description": "Also have the server's own model answer from the passages.",
            },
        },
        frozenset({"answer"}),
    ),
    Tool(
        "readiness",
        "How ready a repository is for agents: level, percentages, and what to improve next.",
        _readiness,
        {"repository": _REPOSITORY},
    ),
    Tool(
        "ci_findings",
        "Problems in a repository's CI workflows, the most severe first, with files and lines.",
        _findings,
        {"repository": _REPOSITORY},
    ),
    Tool(
        "my_usage",
        "Your usage: credits, dollars, sessions and commits of the last closed days, and of today.",
        _my_usage,
        {"days": {"type": "integer", "minimum": 1, "maximum": 366, "default": 30}},
        frozenset({"days"}),
    ),
    Tool(
        "my_limits",
        "The budgets that apply to you: what is left, until when, and what happens when they are "
        "used up.",
        _my_limits,
    ),
    Tool(
        "ask_for_more",
        "Ask owners and managers for more of one of your budgets. People decide about it.",
        _ask_for_more,
        {
            "budgetId": {"type": "string", "description": "The id of a budget, as in `my_limits`."},
            "reason": {"type": "string", "minLength": 1, "maxLength": 500},
            "amount": {"type": "string", "description": "The requested amount."},
        },
        frozenset({"amount"}),
        is_read_only=False,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
_TYPES = {"string": str, "integer": int, "boolean": bool}
"""The types of arguments by their names in JSON Schema."""


async def answer(client: httpx.AsyncClient, name: str, arguments: Arguments) -> Any:
    """The answer of a tool: text, or a value of JSON.

    Raises BadRequest for a tool or an argument that is unknown or missing, and what the API
    refuses. The API checks what arguments hold.
    """
    tool = BY_NAME.get(name)
    if tool is None:
        raise BadRequest(
            f"Unknown tool {name[:100]!r}; `tools/list` returns all.", code="unknown_tool"
        )
    required = set(tool.schema["required"])
    if missing := sorted(required - arguments.keys()):
        raise BadRequest(f"{name} needs {', '.join(missing)}.", code="missing_argument")
    for argument, value in arguments.items():
        kind = tool.properties.get(argument, {}).get("type")
        if kind is None or type(value) is not _TYPES[kind]:
            raise BadRequest(
                f"{name} does not accept this {argument[:100]!r}.", code="bad_argument"
            )
    return await tool.answer(Asking(client), arguments)
