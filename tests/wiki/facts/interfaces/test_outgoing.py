"""Which calls of a function leave the repository."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.outgoing import CALLS_MAX, outside_of
from tests.wiki.commits import facts_of

GO = 'package shop\n\nimport ("fmt"; "net/http"; "strings")\n\n'


def calls(path: str, name: str, text: str, **more: str) -> list[tuple[str, str, int]]:
    facts = facts_of({path: text} | more)
    return [(it.function, it.package, it.line) for it in outside_of(facts, path, name)]


@pytest.mark.parametrize(
    ("path", "name", "text", "called"),
    [
        ("a.py", "f", "import requests\n\ndef f(a):\n    requests.post(a)\n",
         [("requests.post", "requests", 4)]),
        ("a.py", "f", "from httpx import AsyncClient\n\nasync def f(a):\n"
         "    async with AsyncClient() as client:\n        await client.get(a)\n",
         [("client.get", "httpx", 5)]),
        ("a.py", "Mail.send", "import smtplib\n\nclass Mail:\n    def __init__(self):\n"
         "        self.host = smtplib.SMTP()\n\n"
         "    def send(self):\n        self.host.sendmail()\n",
         [("self.host.sendmail", "smtplib", 8)]),
        ("a.py", "f", "import smtplib\n\ndef f(a):\n    if a:\n"
         "        with smtplib.SMTP_SSL(a, b=(1)) as host:\n            host.send_message(a)\n"
         "    else:\n        host = smtplib.SMTP(a)\n        host.sendmail(a)\n",
         [("host.send_message", "smtplib", 6), ("host.sendmail", "smtplib", 9)]),
        ("a.go", "f", GO + "func f() {\n\thc := &http.Client{}\n\thc.Do(a)\n\thttp.Get(a)\n}\n",
         [("hc.Do", "net/http", 7), ("http.Get", "net/http", 8)]),
        ("a.go", "S.f", GO + "type S struct {\n\thc *http.Client\n}\n"
         "func (s *S) f() {\n\ts.hc.Do(a)\n}\n", [("s.hc.Do", "net/http", 9)]),
        ("a.ts", "f",
         "import axios from 'axios';\nfunction f(a) {\n  axios.get(a);\n  axios(a);\n}\n",
         [("axios.get", "axios", 3), ("axios", "axios", 4)]),
        ("A.java", "A.f",
         "package shop;\nimport org.springframework.mail.javamail.JavaMailSender;\n"
         "class A {\n    JavaMailSender sender;\n"
         "    void f() {\n        sender.send(1);\n    }\n}\n",
         [("sender.send", "org.springframework.mail", 6)]),
    ],
)  # fmt: skip
def test_calls_of_packages_that_send_are_told(
    path: str, name: str, text: str, called: list[tuple[str, str, int]]
) -> None:
    assert calls(path, name, text) == called


@pytest.mark.parametrize(
    ("path", "name", "text"),
    [
        ("a.py", "f", "import requests, logging\n\ndef f(a, b):\n    logging.info(a)\n"
         "    requests.Session(a)\n    b.post(a)\n    b.requests.post(a)\n"
         "    b = make(a)\n    b.post(a)\n"),
        ("a.go", "f", f"{GO}func f(w http.ResponseWriter, r *http.Request) {{\n\tr.Header.Get(a)\n"
         "\tfmt.Println(strings.ToLower(a))\n\thttp.Error(w, a, 1)\n\tmux.Get(a)\n}\n"),
        ("a.ts", "f", "import { get } from './axios';\nfunction f(a) {\n  get(a);\n}\n"),
    ],
)  # fmt: skip
def test_others_are_not(path: str, name: str, text: str) -> None:
    assert calls(path, name, text, **{"axios.ts": "export function get(a) {}\n"}) == []


def test_of_many_the_first_are_told_each_once() -> None:
    verbs = ("get", "get", "post", "put", "patch")
    text = "import requests\n\ndef f(a):\n" + "".join(f"    requests.{it}(a)\n" for it in verbs)
    assert [line for _, _, line in calls("a.py", "f", text)] == [4, 6, 7][:CALLS_MAX]
