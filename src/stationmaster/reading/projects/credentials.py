"""Which files hold nothing but credentials."""

from __future__ import annotations

import re

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
