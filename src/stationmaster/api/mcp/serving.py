"""The tools served: over HTTP at `/mcp` in any number of processes, and over standard streams."""

from __future__ import annotations

import json
import logging
from typing import Any
from urllib.parse import urlsplit

import httpx
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stationmaster import __version__
from stationmaster.api.mcp import tools
from stationmaster.errors import Forbidden, StationmasterError

BODY_BYTES_MAX = 256 * 1024
_CREDENTIAL_CHECK = "/api/platform/v1/limits/effective"
"""A read that every valid credential may make."""
_INSTRUCTIONS = (
    "Wikis of an organization's repositories, how ready these are for agents, findings in their "
    "CI, and your own usage and budgets."
)
_PASSED = ("content-type", "www-authenticate", "retry-after")
_log = logging.getLogger(__name__)


def server(client: httpx.AsyncClient) -> Server[Any]:
    """The tools as a server of the protocol; `client` calls the API for one caller."""

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in tools.TOOLS])

    async def call_tool(
        _: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            answer = await tools.answer(client, params.name, params.arguments or {})
        except StationmasterError as fault:
            return _result(f"{fault.detail} ({fault.code})" if fault.code else fault.detail, True)
        except httpx.HTTPError:
            _log.exception("a tool could not ask the API")
            return _result("The server cannot be reached.", True)
        return _result(answer, False)

    return Server(
        "stationmaster",
        version=__version__,
        title="Stationmaster",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def over_streams(client: httpx.AsyncClient) -> None:
    """Serve one agent over standard input and output until it closes them."""
    tool_server = server(client)
    async with stdio_server() as (read, write):
        await tool_server.run(read, write, tool_server.create_initialization_options())


async def over_http(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request with JSON, by itself, so that any process can answer the next one.

    Who it is from is checked first, by an operation of the API, whose refusal is the answer.
    """
    request = Request(scope, receive)
    _check_origin(request)
    async with _client(request) as client:
        check = await client.get(_CREDENTIAL_CHECK)
        if check.is_error:
            headers = {name: check.headers[name] for name in _PASSED if name in check.headers}
            await Response(check.content, check.status_code, headers)(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(
            server(client),
            stateless=True,
            json_response=True,
            max_request_body_size=BODY_BYTES_MAX,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _client(request: Request) -> httpx.AsyncClient:
    """Questions to the same application, with the credential of a request and nothing else."""
    credential = request.headers.get("authorization")
    peer = request.client
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(
            request.scope["app"], client=(peer.host, peer.port) if peer else ("", 0)
        ),
        base_url=str(request.base_url),
        headers={"Authorization": credential} if credential else {},
    )


def _check_origin(request: Request) -> None:
    """Pages of other sites may not use a browser to ask, as the protocol demands."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden(
            "This address does not accept requests from other sites.", code="foreign_origin"
        )


def _described(tool: tools.Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.is_read_only,
            destructive_hint=False,
            open_world_hint=False,
        ),
    )


def _result(answer: Any, is_error: bool) -> types.CallToolResult:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=answer if isinstance(answer, dict) else None,
        is_error=is_error,
    )
