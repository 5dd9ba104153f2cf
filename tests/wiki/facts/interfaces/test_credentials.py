"""What guards look at in a request."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.credentials import key_lines, looked_at
from tests.wiki.commits import facts_of


def test_a_guard_looks_at_what_it_and_those_beside_it_read_of_a_request() -> None:
    facts = facts_of({
        "base.rb": "class Base\n  def authenticate!\n    head 401 unless current_user\n  end\n\n"
        "  def current_user\n    User.find_by(token: request.headers['X-Auth-Token'])\n"
        "    || User.find(session[:user_id]) || cookies.signed[:remember]\n  end\n\n"
        "  def other\n    request.headers['X-Other']\n  end\nend\n",
        "auth.go": 'package auth\n\nfunc Check(r *Request) {\n\tr.Header.Get("Authorization")\n'
        '\tr.URL.Query().Get("key")\n}\n',
        "basic.go": "package auth\n\nfunc Ask(r *Request) {\n\tuser, key, ok := r.BasicAuth()\n}\n",
        "auth.py": "def check(request):\n    return token(request)\n\n\ndef token(request):\n"
        "    return request.META['HTTP_AUTHORIZATION']\n",
    })  # fmt: skip

    def told(path: str, name: str) -> list[tuple[str, str, str]]:
        return [(it.kind, it.name, it.function) for it in looked_at(facts, path, name)]

    assert told("base.rb", "Base.authenticate!") == [
        ("header", "X-Auth-Token", "Base.current_user"),
        ("cookie", "remember", "Base.current_user"),
        ("session", "user_id", "Base.current_user"),
    ]  # fmt: skip
    assert told("auth.go", "Check") == [
        ("header", "Authorization", "Check"), ("parameter", "key", "Check"),
    ]  # fmt: skip
    assert told("basic.go", "Ask") == [("header", "Authorization", "Ask")]
    assert told("auth.py", "check") == [("header", "AUTHORIZATION", "token")]


def test_lines_that_tell_how_callers_are_recognized_are_shown_of_a_guard() -> None:
    facts = facts_of({
        "Start.cs": "class Start\n{\n    void Add(Services services)\n    {\n"
        "        services.AddAuthentication()\n            .AddJwtBearer(options => { });\n"
        "    }\n}\n",
    })  # fmt: skip
    assert key_lines(facts, "Start.cs", "Start.Add") == (6,)
