"""Requests that sign in, and what their answers say."""

from __future__ import annotations

import httpx

AUTH = "/api/platform/v1/auth"


PASSWORD = "a long enough sentence"


def as_bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def me(client: httpx.Client, token: str) -> httpx.Response:
    return client.get("/api/platform/v1/me", headers=as_bearer(token))


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["metadata"]["code"]
