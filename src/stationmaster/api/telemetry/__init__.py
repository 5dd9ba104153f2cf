"""Telemetry on its way in: OTLP over HTTP and gRPC, refusals under load, dry runs."""
