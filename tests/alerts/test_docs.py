"""The receiver of the guide verifies what is sent, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from tests.alerts.conftest import Office
from tests.support.receivers import Receiver

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "alerts.md"


@pytest.fixture
def verify() -> Any:
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    return names["verify"]


def test_the_receiver_of_the_guide_verifies_messages(
    office: Office, receiver: Receiver, verify: Any
) -> None:
    clock.freeze(None)
    _, secret = office.add(address=receiver.url)
    _, other = office.add(name="other", address=receiver.url)
    assert secret is not None
    assert other is not None
    office.raised()
    office.deliver()
    sent = receiver.requests
    request = next(each for each in sent if verify(secret.reveal(), each.headers, each.body))

    assert not verify(other.reveal(), request.headers, request.body)
    assert not verify(secret.reveal(), request.headers, request.body + b" ")
    old = request.headers | {"webhook-timestamp": "1600000000"}
    assert not verify(secret.reveal(), old, request.body)


def test_every_kind_and_format_is_in_the_guide() -> None:
    from stationmaster.alerts.model import CHOSEN_KINDS, FORMATS

    guide = GUIDE.read_text()
    assert [each for each in (*CHOSEN_KINDS, *FORMATS) if f"| `{each}` |" not in guide] == []
