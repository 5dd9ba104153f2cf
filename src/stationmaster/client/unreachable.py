"""Why a request got no answer, or was refused, in words for a person."""

from __future__ import annotations

import socket
import ssl

import httpx


def reason(fault: Exception) -> str:
    """What a person can check: the name, the port, `https`, or the certificate.

    Other faults keep their own text, or their type where they have none.
    """
    cause: BaseException | None = fault
    while cause is not None:
        if words := _words(cause):
            return words
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__
    return str(fault) or type(fault).__name__


def _words(fault: BaseException) -> str | None:
    match fault:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted: {fault.verify_message}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            return "there is no TLS at this port; does the address begin with http://?"
        case socket.gaierror():
            return "no host of this name was found"
        case ConnectionRefusedError():
            return "connection refused; does the server run, and at this port?"
        case httpx.TimeoutException() | TimeoutError():
            return "no answer in time"
        case httpx.LocalProtocolError() | UnicodeEncodeError():
            # Its own text quotes the field, and so the key.
            return "the key or the address has characters that HTTP does not allow"
        case _:
            return None


def refusal(answer: httpx.Response) -> str:
    """The status and the server's text, in one line."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    detail = body.get("detail") if isinstance(body, dict) else None
    return f"the server answers {answer.status_code}: {detail or answer.reason_phrase}"
