import pytest

from stationmaster.catalogue.middleware import is_guard


@pytest.mark.parametrize(
    "name",
    [
        "login_required",
        "authenticate_user!",
        "RequireAdmin",
        "can",
        "verifyJwt",
        "auth.jwt",
        "authorize",
        "need_auth",
        "check_owner",
        "Security",
    ],
)
def test_what_decides_who_may_go_on_is_told_by_its_name(name: str) -> None:
    assert is_guard(name)


@pytest.mark.parametrize(
    "name",
    [
        "set_current_member",
        "author_list",
        "verify_csrf",
        "createAdmin",
        "scan",
        "refreshToken",
        "loadAuthToken",
        "maybeAuthenticated",
        "optionalAuth",
        "securityHeaders",
        "authValidation.login",
    ],
)
def test_what_only_looks_like_a_guard_is_none(name: str) -> None:
    assert not is_guard(name)
