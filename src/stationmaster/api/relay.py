"""The relay's addresses: a computer's control socket, a client's stream and a computer's end of it.

A refusal is an ordinary HTTP answer with an error body, before anything is upgraded; a client is
upgraded only once the computer's end is there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import msgspec
from fastapi import APIRouter
from starlette.datastructures import QueryParams
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from stationmaster import clock, ids
from stationmaster.access.model import Caller, require
from stationmaster.api import blocking, callers, errors, wire
from stationmaster.api.background import waking
from stationmaster.api.services import Services, services_of
from stationmaster.api.serving.sockets import STOPPING
from stationmaster.computers import presence, remote_access, service, sessions
from stationmaster.computers.managed import service as managed
from stationmaster.computers.model import Computer
from stationmaster.computers.relay.channels import SocketChannel, StreamTotals, splice
from stationmaster.computers.relay.hub import Machine, StreamRequest
from stationmaster.db.engine import Database
from stationmaster.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    StationmasterError,
    Unauthorized,
    Unavailable,
)
from stationmaster.relay_messages import (
    BEAT_S,
    SILENCE_S,
    SSH_PORT,
    SUBPROTOCOL,
    Authorized,
    Beat,
    Bye,
    Close,
    Hello,
    Purpose,
    Refuse,
    Restarting,
    Sessions,
    ToAgent,
    Welcome,
    encoded,
    from_agent,
)

HELLO_S = 5.0
RECHECK_S = 30.0
"""How often the credential behind an open stream is checked again."""
_MARGIN_S = 1.0

_log = logging.getLogger("stationmaster.relay")
Endpoint = Callable[[WebSocket, Services], Awaitable[None]]


def _route(path: str, endpoint: Endpoint) -> WebSocketRoute:
    """The route of an endpoint whose errors before the upgrade become the documented answers."""

    async def handle(socket: WebSocket) -> None:
        request_id = ids.new("req")
        try:
            if wire.header(socket, b"origin") is not None:
                raise Forbidden("The relay is not for browsers.", code="browser_refused")
            if SUBPROTOCOL not in socket.scope["subprotocols"]:
                raise BadRequest(
                    f"The relay requires the WebSocket subprotocol {SUBPROTOCOL}.",
                    code="unknown_subprotocol",
                )
            await endpoint(socket, services_of(socket))
        except WebSocketDisconnect:
            return
        except Exception as fault:  # The request edge: everything becomes an error body.
            error = errors.recognized(fault, "GET", path, request_id)
            with suppress(RuntimeError, OSError):
                if socket.application_state.name == "CONNECTING":
                    await socket.send_denial_response(errors.answer(error, path, request_id))
                else:
                    await socket.close(Close.FAILED)

    return WebSocketRoute(path, handle)


async def _listen(socket: WebSocket, services: Services) -> None:
    """A computer's control socket, for as long as its agent is there."""
    computer_id = socket.path_params["computer_id"]
    credential = callers.bearer(socket)
    org = await blocking.read(
        services.db, presence.authenticate, services.db, computer_id, credential
    )
    await socket.accept(SUBPROTOCOL)

    async def send(message: ToAgent) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            await socket.send_text(encoded(message))

    async def close(code: int) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            await socket.close(code)

    try:
        async with asyncio.timeout(HELLO_S):
            hello = await _message(socket)
    except TimeoutError:
        hello = None
    if not isinstance(hello, Hello):
        await close(Close.MALFORMED)
        return
    machine = Machine(org, computer_id, hello, send, close)
    try:
        async with services.relay.holding(machine):
            _log.info("computer %s is connected", computer_id)
            telemetry = await blocking.work(services.machine_tokens.issue, org, computer_id)
            now = clock.now_ms()
            await send(Welcome(beat_every_s=BEAT_S, server_time=now, telemetry=telemetry))
            await _hear(socket, services, org, machine)
    except Conflict as fault:
        await socket.close(Close.MALFORMED, fault.detail[:120])
    finally:
        _log.info("computer %s is no longer connected", computer_id)


async def _hear(socket: WebSocket, services: Services, org: ids.OrgId, machine: Machine) -> None:
    """Take an agent's messages until it leaves, is silent for too long or the server stops."""
    hub = services.relay.hub
    stopping = asyncio.create_task(socket.scope[STOPPING].wait())
    try:
        while True:
            reading = asyncio.create_task(_message(socket))
            done, _ = await asyncio.wait(
                {reading, stopping}, timeout=SILENCE_S, return_when=asyncio.FIRST_COMPLETED
            )
            if reading not in done:
                reading.cancel()
                is_stopping = stopping in done
                if is_stopping:
                    await machine.send(Restarting(come_back_in_ms=1000))
                await machine.close(Close.RESTARTING if is_stopping else Close.SILENT)
                return
            message = reading.result()
            if isinstance(message, Beat):
                machine.sample = message.sample or machine.sample
                await machine.send(Beat())
            elif isinstance(message, Refuse):
                hub.refuse(machine, message)
            elif isinstance(message, Authorized):
                hub.authorized(machine, message)
            elif isinstance(message, Sessions):
                arguments = (services.db, org, machine.computer_id, message.sessions)
                await blocking.work(sessions.note, *arguments)
            elif isinstance(message, Bye):
                await machine.close(Close.FINISHED)
                return
    except ValueError:
        await machine.close(Close.MALFORMED)
    except WebSocketDisconnect:
        return
    finally:
        stopping.cancel()


async def _message(socket: WebSocket) -> msgspec.Struct | None:
    """The next control message; None for one of an unknown type. Raises ValueError."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or Close.FAILED)
    text = message.get("text")
    if text is None:
        raise ValueError("control messages are text")
    return from_agent(text)


async def _connect(socket: WebSocket, services: Services) -> None:
    """A client's stream to a port of a computer."""
    caller = await callers.caller(socket)
    require(caller, "owner", "manager", "member")
    asked = _asked(socket, caller)
    computer = await blocking.read(
        services.db, remote_access.get, services.db, caller, asked.computer_id
    )
    if computer.status != "active":
        raise Conflict(
            f"This computer is not ready: {computer.status}.",
            code="not_active",
            metadata={"status": computer.status},
        )
    copied, began = StreamTotals(), time.monotonic()
    try:
        if QueryParams(socket.scope["query_string"]).get("wake") != "no":
            await waking.awake(services, caller, computer.computer_id)
        async with services.relay.stream(caller.org_id, asked) as far:
            await socket.accept(SUBPROTOCOL)
            async with _watched(socket, services, computer, copied):
                await splice(SocketChannel(socket), far, copied)
    except StationmasterError as fault:
        await blocking.work(_record, services.db, caller, computer, asked, {"refused": fault.code})
        raise
    took_s = round(time.monotonic() - began, 3)
    _log.info(
        "stream of %s to port %d of computer %s: %d bytes to it, %d from it, %s s, code %d",
        caller.principal_id,
        asked.port,
        computer.computer_id,
        copied.to_computer,
        copied.to_client,
        took_s,
        copied.code,
    )
    sizes = {"bytes_in": copied.to_computer, "bytes_out": copied.to_client, "seconds": took_s}
    await blocking.work(_record, services.db, caller, computer, asked, sizes)


def _asked(socket: WebSocket, caller: Caller) -> StreamRequest:
    query = QueryParams(socket.scope["query_string"])
    try:
        port = int(query.get("port", SSH_PORT))
    except ValueError:
        port = 0
    purpose: Purpose = "ssh" if port == SSH_PORT else "forward"
    if not 1 <= port <= 65535:
        raise BadRequest("port is a number from 1 to 65535.", code="invalid_port")
    return StreamRequest(socket.path_params["computer_id"], port, caller.principal_id, purpose)


@asynccontextmanager
async def _watched(
    socket: WebSocket, services: Services, computer: Computer, copied: StreamTotals
) -> AsyncIterator[None]:
    """Ends the block once its caller may no longer connect, or the server stops and the time that
    streams have for that is over."""
    task = asyncio.current_task()
    assert task is not None

    async def watch() -> None:
        copied_code = await _until_forbidden(socket, services, computer)
        copied.code = copied_code
        task.cancel()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not watching.done():
            raise
        task.uncancel()
    finally:
        watching.cancel()


async def _until_forbidden(socket: WebSocket, services: Services, computer: Computer) -> int:
    """Returns the code with which a stream must be closed."""
    stopping: asyncio.Event = socket.scope[STOPPING]
    credential = callers.bearer(socket)
    while True:
        try:
            async with asyncio.timeout(RECHECK_S):
                await stopping.wait()
            await asyncio.sleep(max(services.settings.shutdown_seconds - _MARGIN_S, 0))
            return Close.RESTARTING
        except TimeoutError:
            pass
        try:
            caller = await callers.of_credential(services, credential)
            require(caller, "owner", "manager", "member")
            await blocking.read(
                services.db, remote_access.get, services.db, caller, computer.computer_id
            )
            if computer.provider == "managed":  # One with an open stream is in use.
                await blocking.work(
                    managed.note_activity, services.db, caller, computer.computer_id
                )
        except Unavailable:
            continue
        except (Unauthorized, Forbidden):
            return Close.REVOKED
        except StationmasterError:
            return Close.REMOVED


async def _stream(socket: WebSocket, services: Services) -> None:
    """A computer's end of a stream, which its ticket opens."""
    ticket = callers.bearer(socket)
    async with services.relay.expecting(socket.path_params["stream"], ticket) as take:
        await socket.accept(SUBPROTOCOL)
        channel = SocketChannel(socket)
        try:
            await take(channel)
        finally:
            await channel.close(Close.FINISHED)


def _record(
    db: Database,
    caller: Caller,
    computer: Computer,
    asked: StreamRequest,
    outcome: Mapping[str, object],
) -> None:
    with db.transaction() as connection:
        about = {"port": asked.port, "purpose": asked.purpose, **outcome}
        service.record(connection, caller, "computer_connection", computer, **about)


routes = APIRouter()
routes.routes += [
    _route("/relay/v1/computers/{computer_id}/listen", _listen),
    _route("/relay/v1/computers/{computer_id}/connect", _connect),
    _route("/relay/v1/streams/{stream}", _stream),
]
