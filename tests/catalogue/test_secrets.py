"""Forms of credentials."""

from __future__ import annotations

import re

import pytest

from stationmaster.catalogue import secrets


@pytest.mark.parametrize("form", secrets.forms(), ids=lambda form: f"{form.kind} {form.hints[0]}")
def test_every_form_has_hints_and_one_random_part(form: secrets.Form) -> None:
    assert form.hints
    assert re.compile(form.pattern).groups == 1


def test_a_text_without_a_hint_is_not_searched() -> None:
    (form, *_) = secrets.forms("sure")
    key = "AKIA" + "Q7" * 8
    assert [match[1] for match in form.all_in(f"key={key}")] == [key]
    assert list(form.all_in("key=" + "Q7" * 10)) == []


def test_sure_ones_come_first() -> None:
    order = ["sure", "likely", "possible"]
    forms = [form for certainty in order for form in secrets.forms(certainty)]
    assert [form.kind for form in forms] == [form.kind for form in secrets.forms()]
