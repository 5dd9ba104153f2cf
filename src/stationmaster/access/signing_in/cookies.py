"""The cookie that keeps a person signed in, as every page of the application sets it."""

from __future__ import annotations

from typing import Literal, TypedDict

from stationmaster.access.signing_in.sessions import LIFETIME_MS

SESSION = "stationmaster_session"
"""Holds a session's secret: `sessions.caller_of` returns whose."""


class Fields(TypedDict):
    """The attributes of a cookie, by the names that the framework's `set_cookie` takes."""

    max_age: int
    path: str
    secure: bool
    httponly: bool
    samesite: Literal["lax"]


def fields(address: str, *, path: str = "/", max_age_s: int = LIFETIME_MS // 1000) -> Fields:
    """For a cookie that no script reads and no other site's form sends; over https alone where the
    application's `address` has it.
    """
    return Fields(
        max_age=max_age_s,
        path=path,
        secure=address.startswith("https://"),
        httponly=True,
        samesite="lax",
    )
