"""Which files hold nothing but credentials, and what issuers' credentials look like.

The forms are those that issuers document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Form(NamedTuple):
    """What it is, texts of which a file with one holds some, and its pattern with the random part
    as group 1."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    def all_in(self, text: str) -> Iterator[re.Match[str]]:
        if any(hint in text for hint in self.hints):
            yield from self.pattern.finditer(text)


def forms(*rows: tuple[str, str, str]) -> tuple[Form, ...]:
    """Rows of a kind, its hints with commas between them, and its pattern."""
    return tuple(
        Form(kind, tuple(hints.split(",")), re.compile(pattern)) for kind, hints, pattern in rows
    )


FORMS = forms(
    ("key of AWS", "AKIA", r"\b(AKIA[A-Z2-7]{16})\b"),
    ("token of GitHub", "ghp_,gho_,ghu_,ghs_,ghr_", r"\b(gh[pousr]_[A-Za-z0-9]{36,255})\b"),
    ("token of GitHub", "github_pat_", r"\b(github_pat_[A-Za-z0-9_]{60,255})\b"),
    ("token of GitLab", "glpat-", r"\b(glpat-[\w-]{20,100})"),
    ("token of Slack", "xox", r"\b(xox[baprs]-\d{6,20}-[\w-]{20,200})"),
    ("hook of Slack", "hooks.slack.com",
        r"hooks\.slack\.com/services/(T\w{6,20}/B\w{6,20}/\w{20,60})"),
    ("key of Stripe", "k_live_", r"\b([sr]k_live_[A-Za-z0-9]{20,200})\b"),
    ("key of SendGrid", "SG.", r"\b(SG\.[\w-]{20,30}\.[\w-]{40,50})\b"),
    ("token of npm", "npm_", r"\b(npm_[A-Za-z0-9]{36})\b"),
    ("token of PyPI", "pypi-AgEI", r"\b(pypi-AgEI[\w-]{50,300})"),
    ("key of OpenAI", "T3BlbkFJ", r"\b(sk-[\w-]{16,120}T3BlbkFJ[\w-]{16,120})"),
    ("key of Anthropic", "sk-ant-", r"\b(sk-ant-[a-z]{2,8}\d\d-[\w-]{60,200})"),
    ("token of DigitalOcean", "dop_v1_", r"\b(dop_v1_[0-9a-f]{64})\b"),
    ("token of Hugging Face", "hf_", r"\b(hf_[A-Za-z]{34})\b"),
    ("private key", "PRIVATE KEY-----",
        r"-----BEGIN (?:RSA |EC |DSA |OPENSSH "
        r"|ENCRYPTED )?PRIVATE KEY-----\s{0,4}(?:\\n)?\s{0,20}([A-Za-z0-9+/=]{40,100})"),
)  # fmt: skip
"""Those that are nothing else, wherever they stand."""

_CLOSED = re.compile(
    r"""(?:.*/)?(?:
        \.env(?:rc|\.[\w.-]+)? | [\w.-]+\.env
        | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?
        | [^/]+\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|bks|kdbx?|ppk|gpg|pgp|age|ovpn
            |mobileprovision|tfstate(?:\.backup)?|enc|sops\.(?:ya?ml|json))
        | \.(?:npmrc|pypirc|netrc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|boto|s3cfg)
        | _netrc | \.docker/config\.json | \.aws/credentials | \.kube/config | kubeconfig
        | \.gem/credentials | \.cargo/credentials(?:\.toml)? | credentials\.(?:xml|json)
        | service[-_]?account[\w-]*\.json | client_secrets?[\w.-]*\.json
        | (?<!templates/)secrets\.(?:ya?ml|json) | vault\.ya?ml
        | terraform\.tfvars | [\w-]+\.auto\.tfvars
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:^|[._-])(?:example|sample|template|tmpl|tpl|dist|defaults?|schema|stub)s?(?:[._-]|$)", re.I
)


def never_opened(path: str) -> bool:
    """Private keys, key stores, stores of credentials, encrypted secrets, variables that are no
    example: nobody who describes a repository reads them."""
    if _CLOSED.fullmatch(path) is None:
        return False
    return _EXAMPLE.search(path.rpartition("/")[2]) is None
