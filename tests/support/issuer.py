"""A real OpenID Connect issuer on loopback, as a process of its own; and tokens that no issuer
would make.
"""

from __future__ import annotations

import base64
import hmac
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from stationmaster.access.model import Secret
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.ids import OrgId
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port

CLIENT = "stationmaster-app"


class RunningIssuer:
    """`start` after `stop` comes back at the same address with other keys."""

    def __init__(self) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                httpx.get(f"{self.url}/.well-known/openid-configuration", timeout=2)
            except httpx.TransportError:
                assert self._process.poll() is None, "the issuer ended"
                time.sleep(0.02)
            else:
                return
        raise AssertionError("the issuer did not start")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def configured(self, org: OrgId, **fields: Any) -> Issuer:
        """How an operator would name this issuer for an organization."""
        usual = {
            "name": "corp",
            "issuer": self.url,
            "audience": CLIENT,
            "org": org,
            "client_id": CLIENT,
            "client_secret": Secret("hunter22"),
        }
        return Issuer(**(usual | fields))

    def setting(self, org: str, **fields: Any) -> str:
        """The same as the setting of a server."""
        usual = {
            "name": "corp",
            "issuer": self.url,
            "audience": CLIENT,
            "org": org,
            "client_id": CLIENT,
            "client_secret": "hunter22",
        }
        return json.dumps([usual | fields])

    def sign_in(self, address: str, email: str, /, **claims: Any) -> dict[str, str]:
        """What a person does at the address where the application has sent the browser: the
        parameters with which the browser comes back. The e-mail is verified unless told otherwise.
        """
        told = {"email": email, "email_verified": True} | claims
        httpx.put(f"{self.url}/users/{email}", json=told, timeout=PATIENCE_S).raise_for_status()
        answer = httpx.post(address, data={"sub": email}, timeout=PATIENCE_S)
        assert answer.status_code == 302, answer.text
        found = parse_qs(urlsplit(answer.headers["location"]).query)
        return {name: values[0] for name, values in found.items()}

    def token(self, email: str, /, *, client: str = CLIENT, **claims: Any) -> str:
        """An ID token of a person, made for a client."""
        asked = {
            "response_type": "code",
            "client_id": client,
            "redirect_uri": "http://127.0.0.1/back",
            "scope": "openid email",
        }
        address = httpx.URL(f"{self.url}/oauth2/authorize", params=asked)
        code = self.sign_in(str(address), email, **claims)["code"]
        answer = httpx.post(
            f"{self.url}/oauth2/token",
            data={
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": asked["redirect_uri"],
            },
            auth=(client, "any"),
            timeout=PATIENCE_S,
        )
        found: str = answer.json()["id_token"]
        return found

    def published(self) -> list[dict[str, str]]:
        """Its public keys."""
        found: list[dict[str, str]] = httpx.get(f"{self.url}/jwks", timeout=PATIENCE_S).json()[
            "keys"
        ]
        return found


@contextmanager
def running_issuer() -> Iterator[RunningIssuer]:
    issuer = RunningIssuer()
    issuer.start()
    try:
        yield issuer
    finally:
        issuer.stop()


def parts_of(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the claims of a token, read without any check."""
    header, claims, _ = token.split(".")
    return _decoded(header), _decoded(claims)


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> str:
    """A token of any content, with any text where the signature belongs."""
    return f"{_encoded(header)}.{_encoded(claims)}.{signature}"


def signed_by_secret(header: dict[str, Any], claims: dict[str, Any], secret: bytes) -> str:
    """A token with HS256, which the libraries refuse to make with a public key as the secret."""
    text = unsigned(header | {"alg": "HS256"}, claims)
    digest = hmac.digest(secret, text.rstrip(".").encode(), "sha256")
    return text + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _decoded(part: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def _encoded(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
