"""Chapter Authentication: the bearer header on every operation."""

from __future__ import annotations

import pytest

from tests.conformance.conftest import House
from tests.conformance.published import PUBLISHED, Operation

pytestmark = pytest.mark.attack

each_operation = pytest.mark.parametrize("operation", PUBLISHED, ids=lambda op: op.template)


@each_operation
def test_every_operation_requires_the_bearer_header(one_house: House, operation: Operation) -> None:
    answer = one_house.client("none").request(operation.method, operation.path)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="stationmaster"'


@each_operation
@pytest.mark.parametrize("caller", ["owner", "revoked"])
def test_an_invalid_credential_gives_401(
    one_house: House, operation: Operation, caller: str
) -> None:
    key = one_house.ours.keys[caller]
    value = f"Bearer {key}" if caller == "revoked" else f"Basic {key}"

    answer = one_house.client("none").request(
        operation.method, operation.path, headers={"Authorization": value}
    )

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].endswith('error="invalid_token"')


@each_operation
def test_a_valid_api_key_is_no_401(one_house: House, operation: Operation) -> None:
    answer = one_house.client("owner").request(operation.method, operation.path)

    assert answer.status_code in (200, 400, 404, 415)


def test_the_scheme_is_bearer_over_http(one_house: House) -> None:
    described = one_house.client("none").get("/openapi.json").json()

    scheme = described["components"]["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    for operation in PUBLISHED:
        told = described["paths"][operation.template][operation.method.lower()]
        assert told["security"] == [{"bearer": []}]
