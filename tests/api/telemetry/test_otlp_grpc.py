"""OTLP/gRPC from the exporters of OpenTelemetry themselves, through the same door as HTTP."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from stationmaster.api.telemetry import admission, otlp_grpc
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.settings import Settings
from tests.ingest.otlp_bodies import a_model_call, logs_protobuf
from tests.support.builders import a_key, a_member, an_organization
from tests.support.certificates import Authority
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port
from tests.support.servers import Server, running_server, settings_for

EXPORT = "/opentelemetry.proto.collector.{}Service/Export"
LOGS = EXPORT.format("logs.v1.Logs")
BODY_MAX = 256 * 1024
AGENT = Resource.create({"service.name": "claude-code", "service.version": "2.1.329"})


class Taker:
    """A server that takes OTLP/gRPC, and an organization with a key there."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.address = f"127.0.0.1:{server.settings.grpc_port}"
        db = server.services.db
        self.org: OrgId = an_organization(db)
        self.key = a_key(db, self.org, a_member(db, self.org, "ada@example.com"))
        self.headers = {"authorization": f"Bearer {self.key}"}

    def export(self, body: bytes, path: str = LOGS, **named: Any) -> bytes:
        """The answer to one call with our key, unless told otherwise; raises grpc.RpcError."""
        metadata = tuple(named.pop("headers", self.headers).items())
        with grpc.insecure_channel(self.address) as channel:
            answer: bytes = channel.unary_unary(path)(body, metadata=metadata, timeout=20, **named)
        return answer

    def refusal(self, body: bytes, **named: Any) -> grpc.RpcError:
        with pytest.raises(grpc.RpcError) as refused:
            self.export(body, **named)
        return refused.value

    def stored(self) -> dict[tuple[str, str], int]:
        """Records by source and what became of them."""
        self.server.services.mover.drain()
        rows = self.server.services.db.rows(
            "SELECT source, outcome, sum(count) FROM intake_counts WHERE org_id = ? "
            "GROUP BY source, outcome",
            self.org,
        )
        return {(str(source), str(outcome)): int(str(count)) for source, outcome, count in rows}


@contextmanager
def taking(folder: Path, **fields: Any) -> Iterator[Taker]:
    usual = {"grpc_port": free_port(), "request_body_max": BODY_MAX}
    with running_server(settings_for(folder, "sqlite", **(usual | fields))) as server:
        yield Taker(server)


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with taking(tmp_path_factory.mktemp("grpc")) as taker:
        yield taker.server


@pytest.fixture
def taker(one_server: Server) -> Taker:
    return Taker(one_server)


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_the_exporters_of_opentelemetry_send_all_three_signals(
    taker: Taker, compression: grpc.Compression
) -> None:
    named: dict[str, Any] = {
        "endpoint": f"http://{taker.address}",
        "headers": taker.headers,
        "compression": compression,
    }
    logger_provider = LoggerProvider(AGENT)
    logger_provider.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(**named)))
    logger = logger_provider.get_logger("com.anthropic.claude_code.events")
    logger.emit(LogRecord(timestamp=time.time_ns(), attributes=a_model_call()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(**named), 1e9)
    meter_provider = MeterProvider([reader], AGENT)
    counter = meter_provider.get_meter("com.anthropic.claude_code").create_counter(
        "claude_code.commit.count"
    )
    counter.add(1, {"session.id": "s1"})
    trace_provider = TracerProvider(resource=AGENT)
    trace_provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(**named)))
    tracer = trace_provider.get_tracer("com.anthropic.claude_code.tracing")
    tracer.start_span("claude_code.llm_request", attributes={"session.id": "s1"}).end()
    for provider in (logger_provider, meter_provider, trace_provider):
        assert provider.force_flush() is not False
        provider.shutdown()

    stored = taker.stored()
    assert stored["otlp_logs", "kept"] == 1
    assert {source for source, _ in stored} == {"otlp_logs", "otlp_metrics", "otlp_traces"}


def test_a_partial_success_is_that_of_http(taker: Taker) -> None:
    body = logs_protobuf(a_model_call(input_tokens=-5), a_model_call())

    partial = ExportLogsServiceResponse.FromString(taker.export(body)).partial_success

    assert partial.rejected_log_records == 1
    assert "negative" in partial.error_message
    assert taker.stored() == {("otlp_logs", "kept"): 1, ("otlp_logs", "invalid"): 1}


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer sm_none"}])
def test_without_a_valid_credential_nothing_of_the_message_is_read(
    taker: Taker, headers: dict[str, str]
) -> None:
    refused = taker.refusal(b"x" * (BODY_MAX + 1), headers=headers)

    assert refused.code() == grpc.StatusCode.UNAUTHENTICATED


def test_each_key_sends_to_its_own_organization(one_server: Server) -> None:
    ours, theirs = Taker(one_server), Taker(one_server)
    ours.export(logs_protobuf(a_model_call(), resource={"organization": theirs.org}))

    assert theirs.stored() == {}
    assert ours.stored() == {("otlp_logs", "kept"): 1}


def test_what_does_not_decode_is_an_invalid_argument(taker: Taker) -> None:
    refused = taker.refusal(b"\xff\xff")
    dry = taker.refusal(b"", headers=taker.headers | {"stationmaster-dry-run": "true"})

    assert (refused.code(), dry.code()) == (grpc.StatusCode.INVALID_ARGUMENT,) * 2
    assert refused.details() == "The body is not an OTLP logs request in protobuf."
    assert taker.stored() == {}


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_a_larger_message_than_over_http_is_refused_before_it_is_in_memory(
    taker: Taker, compression: grpc.Compression
) -> None:
    refused = taker.refusal(b"\0" * (BODY_MAX + 1), compression=compression)

    assert refused.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "larger than max" in refused.details()


def test_a_busy_server_says_when_to_come_back(
    taker: Taker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_S", 0.05)
    hanging: list[Future[None]] = []

    async def store(_inbox: Inbox, _delivery: object) -> None:
        hanging.append(Future())
        await asyncio.wrap_future(hanging[-1])

    monkeypatch.setattr(Inbox, "store", store)
    first = threading.Thread(target=taker.export, args=(logs_protobuf(a_model_call()),))
    first.start()
    while not hanging:
        time.sleep(0.001)
    time.sleep(admission.PATIENCE_S)
    refused = taker.refusal(b"")
    hanging[0].set_result(None)
    first.join(10)

    assert refused.code() == grpc.StatusCode.UNAVAILABLE
    trailing = dict(refused.trailing_metadata())
    status, retry = Status.FromString(trailing["grpc-status-details-bin"]), RetryInfo()
    assert (status.code, status.message) == (14, refused.details())
    assert status.details[0].Unpack(retry)
    assert retry.retry_delay.seconds > 0
    assert RetryInfo.FromString(trailing["google.rpc.retryinfo-bin"]) == retry


def test_what_is_not_otlp_is_unimplemented(taker: Taker) -> None:
    refused = taker.refusal(b"", path="/grpc.health.v1.Health/Check")

    assert refused.code() == grpc.StatusCode.UNIMPLEMENTED


def test_with_a_certificate_it_speaks_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.server("localhost")
    pair = tmp_path / "localhost.pem"
    with taking(tmp_path, grpc_certificate=pair, grpc_certificate_key=pair) as taker:
        trusted = grpc.ssl_channel_credentials(authority.file.read_bytes())
        metadata = tuple(taker.headers.items())
        port = taker.server.settings.grpc_port
        with grpc.secure_channel(f"localhost:{port}", trusted) as channel:
            assert channel.unary_unary(LOGS)(b"", metadata=metadata, timeout=20) == b""


def test_a_certificate_without_its_key_is_an_error_of_the_settings() -> None:
    settings = Settings(grpc_port=4317, grpc_certificate=Path("chain.pem"))

    with pytest.raises(OperatorError, match="STATIONMASTER_GRPC_CERTIFICATE_KEY is missing"):
        otlp_grpc.check(settings)


def test_without_the_library_the_port_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "grpc.aio", None)

    otlp_grpc.check(Settings())
    with pytest.raises(OperatorError, match=r"STATIONMASTER_GRPC_PORT needs .*\[server,grpc\]"):
        otlp_grpc.check(Settings(grpc_port=4317))


def test_a_grpc_client_at_the_http_port_is_noted_once_a_minute_with_what_to_set(
    one_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    host = one_server.url.removeprefix("http://")
    with caplog.at_level(logging.WARNING), grpc.insecure_channel(host) as channel:
        for _ in range(2):
            with pytest.raises(grpc.RpcError):
                channel.unary_unary(LOGS)(b"", timeout=5)

    lines = [each.message for each in caplog.records if "gRPC client" in each.message]
    assert len(lines) == 1
    assert "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in lines[0]
    assert httpx.get(one_server.url + "/healthz", timeout=PATIENCE_S).status_code == 200
