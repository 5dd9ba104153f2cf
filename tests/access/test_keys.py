from __future__ import annotations

import re
import string

import pytest
from hypothesis import given, strategies as st

from stationmaster.access import model

# Taken apart, so that no scanner takes this file for a leak.
WHOLE = "sm_" + string.digits + string.ascii_uppercase + "abcdefg" + "1AjvXP"


def test_a_new_key_has_the_published_form_and_is_whole() -> None:
    text = model.new_key().reveal()
    assert re.fullmatch("sm_[0-9A-Za-z]{49}", text)
    assert model.is_whole_key(text)


def test_new_keys_differ() -> None:
    assert len({model.new_key().reveal() for _ in range(200)}) == 200


def test_the_form_of_a_key_stays_what_it_is() -> None:
    assert model.is_whole_key(WHOLE)
    assert model.hash_of(WHOLE) == (
        "0518eb15af27f970ca1cda71c968996b16b6f355c4d7e13e6e0d86a31254e5b9"
    )
    assert model.hint_of(WHOLE) == "sm_0123…"


@given(st.integers(3, 51), st.sampled_from(model.KEY_ALPHABET))
def test_one_mistyped_letter_is_noticed(at: int, letter: str) -> None:
    typo = WHOLE[:at] + letter + WHOLE[at + 1 :]
    assert model.is_whole_key(typo) == (typo == WHOLE)


@given(st.integers(3, 50))
def test_two_swapped_letters_are_noticed(at: int) -> None:
    typo = WHOLE[:at] + WHOLE[at + 1] + WHOLE[at] + WHOLE[at + 2 :]
    assert model.is_whole_key(typo) == (typo == WHOLE)


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    assert not model.is_whole_key(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sm_",
        WHOLE + "x",
        WHOLE + "\n",
        " " + WHOLE,
        WHOLE[:-1],
        WHOLE.replace("sm_", "SM_"),
        WHOLE.replace("sm_", "xx_"),
        WHOLE.replace("0", "٠"),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    ],
)
def test_what_only_resembles_a_key_is_refused(text: str) -> None:
    assert not model.is_whole_key(text)


def test_a_secret_shows_itself_only_when_it_is_asked_to() -> None:
    secret = model.new_key()
    for shown in (str(secret), repr(secret), f"{secret}", f"{secret!r:>80}", f"{[secret]}"):
        assert "sm_" not in shown
    assert secret.reveal().startswith("sm_")
