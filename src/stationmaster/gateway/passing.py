"""The way of one call to its provider and back, without a stop, and with an account of it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

import aiohttp

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.errors import Unavailable
from stationmaster.gateway import asking, callers, error_answers, headers
from stationmaster.gateway.accounting.accounts import Account
from stationmaster.gateway.accounting.meter import Meter
from stationmaster.gateway.agents import Agent, form_of
from stationmaster.gateway.providers import Provider
from stationmaster.gateway.reports import event
from stationmaster.gateway.routes import ProviderRoute
from stationmaster.gateway.services import CallUnderWay, Services
from stationmaster.ingest import media
from stationmaster.limits.budgets import Call

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_OVERLOADED = frozenset({500, 502, 503, 504, 529})
"""Statuses at which the next provider is tried, where one is named."""
PART_BYTES_MAX = 64 * 1024
"""Of one part of an array that pass after all was used, so that the array can be ended."""
WATCH_S = 0.05
"""A call is watched for its caller's end once it has lasted so long: watching costs more than the
rest of a short one."""
_REQUEST_IDS = (b"request-id", b"x-request-id", b"x-oai-request-id")
_log = logging.getLogger(__name__)


class _UsedUp(Exception):
    """A budget has no room for the rest of an answer."""


class RoutedRequest(NamedTuple):
    """A request whose caller and provider are known."""

    caller: Caller
    agent: Agent
    provider: Provider
    others: tuple[Provider, ...]
    """Those to try when the first one is away."""
    route: ProviderRoute
    method: str
    target: str
    """Path and query at the provider."""
    fields: headers.Fields
    has_own_login: bool
    is_remembered: bool
    """The database is away, and the caller was known a moment ago."""


async def run(
    services: Services, request: RoutedRequest, body: bytes, receive: Receive, send: Send
) -> error_answers.OwnAnswer | None:
    """Pass a call on, and its answer back; what is answered instead where nothing passed.

    Raises BadRequest, TooLarge, UnsupportedMedia, Unavailable.
    """
    passage = Passage(services, request, body, receive, send)
    if request.route.api is None:
        return await passage.go()
    encoding = headers.first(request.fields, b"content-encoding")
    plain = media.plain(body, encoding, services.settings.request_body_max)
    call = asking.read(request.route.api, plain, request.route.model, request.route.is_stream)
    agent = request.agent
    form = form_of(agent.product)
    if agent.session is None and form is not None and form.has_session_in_body:
        agent = agent._replace(session=call.session)
    account = await _account(services, request._replace(agent=agent), call)
    try:
        refusal = await account.open()
    except Unavailable:
        if not services.memory.lets_go_on(account.call):
            raise
        refusal = None
    if refusal is not None:
        retry_s = max(refusal.resets_at - clock.now_ms(), 0) // 1000
        kind = request.provider.kind
        return error_answers.budget(kind, refusal.message, agent.product, retry_s=retry_s)
    passage.account = account
    try:
        return await passage.go()
    finally:
        services.running.discard(passage)
        _settle(services, passage, call, agent)


async def _account(
    services: Services, request: RoutedRequest, model_call: asking.ModelCall
) -> Account:
    tariff = await services.read(
        services.tariffs.of,
        *(request.caller.org_id, request.provider.kind, model_call.model, model_call.region),
    )
    caller, agent, fields = request.caller, request.agent, request.fields
    repository = await services.read(services.repositories.of, caller.org_id, agent, fields)
    call = Call(
        *(caller.org_id, caller.principal_id, caller.key_id, agent.product),
        *(model_call.model, repository),
    )
    beta = headers.first(fields, b"anthropic-beta") or ""
    return Account(services.budget_decisions, call, model_call, tariff, beta)


class Passage(CallUnderWay):
    """One call on its way."""

    def __init__(
        self, services: Services, asked: RoutedRequest, body: bytes, receive: Receive, send: Send
    ) -> None:
        super().__init__(self._use_up)
        self.asked = asked
        self.request_id: str | None = None
        self.is_sent = False
        self.began_at = time.monotonic()
        self._services = services
        self._body = body
        self._receive = receive
        self._send = send
        self._relay: asyncio.Task[Any] | None = None
        self._gone: asyncio.Future[Any] | None = None
        """Is done when the caller has disconnected."""
        self._is_used_up = False
        self._is_between_frames = False
        self._beyond = 0
        """Bytes that had to pass although all was used."""

    def _use_up(self) -> None:
        """End the answer: a budget has no more room."""
        if self._relay is not None and not self._is_used_up:
            self._is_used_up = True
            self._relay.cancel()

    async def go(self) -> error_answers.OwnAnswer | None:
        """Pass it on; what to answer instead where no provider did."""
        self._relay = asyncio.current_task()
        assert self._relay is not None
        watching = asyncio.get_running_loop().call_later(WATCH_S, self._watch)
        try:
            answer = await self._first_answer()
            if isinstance(answer, error_answers.OwnAnswer):
                return answer
            async with answer:
                await self._return(answer)
        except _UsedUp:
            return await self._end()
        except asyncio.CancelledError:
            if self._is_used_up:
                return await self._end()
            if self._gone is None or not self._gone.done():
                raise
        except (aiohttp.ClientError, OSError, TimeoutError) as fault:
            name = self.asked.provider.name
            _log.warning("the provider %s broke off: %s", name, type(fault).__name__)
            # An answer without its end must not look complete: the connection is closed.
            raise ConnectionAbortedError("the provider broke off") from fault
        finally:
            watching.cancel()
            if self._gone is not None:
                self._gone.remove_done_callback(self._hang_up)
                self._gone.cancel()
        return None

    def _watch(self) -> None:
        self._gone = asyncio.ensure_future(self._receive())
        self._gone.add_done_callback(self._hang_up)

    def _hang_up(self, _: object) -> None:
        assert self._relay is not None
        self._relay.cancel()

    async def _first_answer(self) -> aiohttp.ClientResponse | error_answers.OwnAnswer:
        """Of the provider, or of the first other one that answers where others are named."""
        asked = self.asked
        candidates = (asked.provider, *asked.others)
        for provider in candidates:
            try:
                answer = await self._services.upstream.send(
                    provider, asked.method, asked.target, self._fields(provider), self._body
                )
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as fault:
                _log.warning(
                    "the provider %s is unavailable: %s", provider.name, type(fault).__name__
                )
                self.is_sent |= not isinstance(fault, aiohttp.ClientConnectorError)
                continue
            self.is_sent = True
            if provider is candidates[-1] or answer.status not in _OVERLOADED:
                return answer
            answer.close()
        message = f"The provider {asked.provider.name} cannot be reached; try again later."
        return error_answers.error(asked.provider.kind, 502, message, "provider_unreachable")

    def _fields(self, provider: Provider) -> headers.Fields:
        asked = self.asked
        replaced = frozenset[bytes]() if asked.has_own_login else callers.PLACES
        fields = headers.of_request(asked.fields, replaced)
        fields.append((b"accept-encoding", b"identity"))
        if not asked.has_own_login:
            key = self._services.key_of(provider, asked.caller.org_id).reveal()
            fields.append(callers.credential(provider.kind, key))
        return fields

    async def _return(self, answer: aiohttp.ClientResponse) -> None:
        fields = headers.of_answer(answer.raw_headers)
        api, account = self.asked.route.api, self.account
        if api is not None:
            self.meter = Meter(api, answer.status, fields)
            self._services.running.add(self)
            ids = (headers.first(fields, name) for name in _REQUEST_IDS)
            self.request_id = next(filter(None, ids), None)
        meter = self.meter
        start = {"type": "http.response.start", "status": answer.status, "headers": fields}
        await self._send(start)
        async for chunk in answer.content.iter_any():
            if meter is not None and account is not None:
                meter.feed(chunk)
                if account.is_used_up(meter):
                    # Only here does an answer wait: for room that it has not got yet.
                    if not await self._services.may_go_on(self) and await self._stops_in(chunk):
                        raise _UsedUp
                elif account.needs(meter):
                    self._services.look(self)
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        if meter is not None:
            meter.end(is_ended=True)
        await self._send({"type": "http.response.body", "body": b""})

    async def _stops_in(self, chunk: bytes) -> bool:
        """Pass on the whole frames of a chunk, so that an error can follow; False for a part of an
        array that has to go on to its end."""
        assert self.meter is not None
        if self.meter.is_events:
            end = chunk.rfind(b"\n\n") + 2
        else:
            rest = self.meter.after_last_part()
            end = -1 if rest is None else len(chunk) - rest
            if end < 0:
                self._beyond += len(chunk)
                return self._beyond > PART_BYTES_MAX
        if end > 1:
            message = {"type": "http.response.body", "body": chunk[:end], "more_body": True}
            await self._send(message)
            self._is_between_frames = True
        return True

    async def _end(self) -> error_answers.OwnAnswer | None:
        """End an answer that may not go on, in the provider's own form."""
        assert self.account is not None
        message = await self.account.refusal()
        api, kind = self.asked.route.api, self.asked.provider.kind
        assert api is not None
        if self.meter is None:
            return error_answers.budget(kind, message, self.asked.agent.product, retry_s=0)
        if self.meter.is_events:
            is_between = self._is_between_frames or self.meter.is_between_frames
            last = (b"" if is_between else b"\n\n") + error_answers.in_stream(api, message)
        elif api == "gemini" and (self._is_between_frames or self.meter.after_last_part() == 0):
            last = error_answers.in_array(message)
        else:
            raise ConnectionAbortedError("a budget ended the answer")
        await self._send({"type": "http.response.body", "body": last})
        return None


def _settle(services: Services, passage: Passage, call: asking.ModelCall, agent: Agent) -> None:
    """Count the cost of a call, and report it as an event."""
    account, meter = passage.account, passage.meter
    assert account is not None
    if meter is not None and not meter.is_ended:
        meter.end(is_ended=False)
    settled = account.settled(meter, is_sent=passage.is_sent)
    account.close(settled)
    if not passage.is_sent or meter is None or not meter.is_paid:
        return
    made = event(
        passage.asked.provider.kind,
        agent,
        meter.report,
        settled.usage,
        model=call.model,
        request_id=passage.request_id,
        duration_ms=int((time.monotonic() - passage.began_at) * 1000),
        is_complete=settled.is_complete,
    )
    made.repo = account.call.repository or None
    services.report(passage.asked.caller, made)
