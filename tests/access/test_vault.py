from __future__ import annotations

import base64
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stationmaster.access.model import Secret
from stationmaster.access.vault import KEY_BYTES, Vault
from stationmaster.errors import OperatorError
from stationmaster.settings import Settings

KEY = bytes(range(KEY_BYTES))
TEXT = "hunter2, and ünicode"


@pytest.fixture
def vault() -> Vault:
    return Vault(KEY)


def test_a_sealed_secret_is_given_out_for_the_same_purpose(vault: Vault) -> None:
    sealed = vault.seal(Secret(TEXT), "org_a remote repo_b")
    assert vault.unseal(sealed, "org_a remote repo_b").reveal() == TEXT


def test_a_sealed_secret_shows_nothing_of_it(vault: Vault) -> None:
    sealed = vault.seal(Secret(TEXT), "purpose")
    assert TEXT.encode() not in sealed
    assert b"purpose" not in sealed


def test_the_same_secret_is_sealed_differently_each_time(vault: Vault) -> None:
    assert len({vault.seal(Secret(TEXT), "purpose") for _ in range(50)}) == 50


@pytest.mark.parametrize("at", [0, 11, 12, 20, -1])
def test_a_changed_byte_is_noticed(vault: Vault, at: int) -> None:
    sealed = bytearray(vault.seal(Secret(TEXT), "purpose"))
    sealed[at] ^= 1
    with pytest.raises(OperatorError, match="cannot be decrypted"):
        vault.unseal(bytes(sealed), "purpose")


@pytest.mark.parametrize("sealed", [b"", b"x", b"x" * 12, b"x" * 28])
def test_bytes_that_were_never_sealed_are_refused(vault: Vault, sealed: bytes) -> None:
    with pytest.raises(OperatorError):
        vault.unseal(sealed, "purpose")


def test_a_secret_opens_neither_for_another_purpose_nor_with_another_key(vault: Vault) -> None:
    sealed = vault.seal(Secret(TEXT), "org_a remote repo_b")
    strange = Vault(KEY[::-1])
    for other, purpose in ((vault, "org_b remote repo_b"), (strange, "org_a remote repo_b")):
        with pytest.raises(OperatorError) as refused:
            other.unseal(sealed, purpose)
        assert refused.value.code == "secret_key"
        assert TEXT not in refused.value.detail


def test_an_installation_makes_its_key_once_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    sealed = Vault.open(settings).seal(Secret(TEXT), "purpose")
    assert Vault.open(settings).unseal(sealed, "purpose").reveal() == TEXT
    file = tmp_path / "data" / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(base64.urlsafe_b64decode(file.read_text().strip())) == KEY_BYTES
    assert [path.name for path in file.parent.iterdir()] == ["secret.key"]


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with ThreadPoolExecutor(8) as pool:
        vaults = list(pool.map(lambda _: Vault.open(settings), range(8)))
    sealed = vaults[0].seal(Secret(TEXT), "purpose")
    assert {vault.unseal(sealed, "purpose").reveal() for vault in vaults} == {TEXT}


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_the_setting_wins_over_the_file_in_either_alphabet(
    tmp_path: Path, encode: Callable[[bytes], bytes]
) -> None:
    key = b"\xfb\xff" * (KEY_BYTES // 2)
    settings = Settings(data_dir=tmp_path, secret_key=encode(key).decode())
    sealed = Vault(key).seal(Secret(TEXT), "purpose")
    assert Vault.open(settings).unseal(sealed, "purpose").reveal() == TEXT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "short", "not base64 at all!", "A" * 42, "A" * 64])
def test_a_key_that_is_none_is_told_with_how_to_make_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret.key").write_text(text)
    for settings in (
        Settings(data_dir=tmp_path),
        Settings(data_dir=tmp_path / "other", secret_key=text),
    ):
        with pytest.raises(OperatorError, match="openssl rand -base64 32") as refused:
            Vault.open(settings)
        assert text == "" or text not in refused.value.detail
