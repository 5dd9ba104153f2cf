"""`identity-providers`: the same on a server as in the local data folder."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import command, succeed


def test_a_provider_is_added_changed_tested_and_removed(
    where: tuple[str, ...], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("ZqSecretqZ\n")
    new = ("corp", "--issuer", "https://192.88.98.1", "--client-id", "sm")
    group = "identity-providers"

    made = succeed(group, "add", *new, "--secret-file", str(secret), *where)
    changed = succeed(group, "change", "corp", "--domain", "example.com", *where)
    listed = succeed(group, "list", *where)
    shown = command(group, "list", *where)
    tested = command(group, "test", "corp", *where)
    removed = succeed(group, "remove", "corp", "--yes", *where)

    assert (made["name"], made["hasClientSecret"], made["allowedDomains"]) == ("corp", True, [])
    assert made["redirectUri"].endswith("/api/platform/v1/auth/oidc/corp/callback")
    assert changed == made | {"allowedDomains": ["example.com"]}
    assert listed == {"identityProviders": [changed]}
    assert b"example.com" in shown.stdout
    assert b"organization" in shown.stdout
    assert "ZqSecretqZ" not in f"{made}{listed}"
    assert tested.code == 1
    assert removed == {"name": "corp"}
    assert succeed(group, "list", *where) == {"identityProviders": []}
