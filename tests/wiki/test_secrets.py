"""What may not leave is masked wherever it stands; what only looks like it stays."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stationmaster.reading.projects import credentials
from stationmaster.repos.reading import open_path
from stationmaster.wiki import secrets
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.making import generate
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.secrets import MASK
from stationmaster.wiki.text.inline import Place, code, md, text
from stationmaster.wiki.text.page import Page
from tests.support.repositories import Repository
from tests.wiki.canaries import Canary, all_kinds, plant, short

KINDS = all_kinds()
HASH = hashlib.sha1(b"x").hexdigest()
DIGEST = hashlib.sha256(b"x").hexdigest()
UUID = str(uuid.UUID(int=random.Random(1).getrandbits(128), version=4))
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAUA" * 4


@pytest.mark.parametrize("canary", KINDS, ids=lambda canary: canary.kind)
def test_a_credential_is_masked_and_what_stands_around_it_stays(canary: Canary) -> None:
    told, found = secrets.mask(f"before, {canary.text}, after")

    assert canary.secret not in told
    assert MASK in told
    assert told.startswith("before, ")
    assert told.endswith(", after")
    assert len(found) == 1
    assert secrets.mask(told) == (told, [])


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("mysqldump -u root -pSup3rTill99 shop", "Sup3rTill99"),
        ("password: hunter2horse9XQzt", "hunter2horse9XQzt"),
        ("mysql -u root -p$PASSWORD shop", ""),
        ("mysql -u root -p shop", ""),
        ("password: OAuth2PasswordBearer", ""),
        ("password: Your-Password-1", ""),
        ("The password is checked by `validatePassword2`.", ""),
    ],
)
def test_passwords_that_people_make_are_masked_where_they_are_named(line: str, secret: str) -> None:
    assert secrets.masked(line) == (line.replace(secret, MASK) if secret else line)


@pytest.mark.parametrize("canary", KINDS, ids=lambda canary: canary.kind)
def test_markdown_hides_no_credential(canary: Canary) -> None:
    body = f"# Title\n\n{text(canary.text)} and {code(canary.text)}\n"

    told = secrets.masked(body)

    assert canary.secret not in told.replace("\\", "")
    assert told.startswith("# Title\n\n")


@pytest.mark.parametrize(
    "kind", ["github", "gitlab", "stripe", "openai", "npm", "jwt", "slack", "aws-id"]
)
def test_a_credential_that_was_cut_is_masked(kind: str) -> None:
    secret = next(each.secret for each in KINDS if each.kind == kind)

    assert secrets.masked(f"`{secret[:16]}…`") == f"`{MASK}…`"


@pytest.mark.parametrize(
    "harmless",
    [
        f"Fix refresh of the token ({HASH})",
        f"image: app@sha256:{DIGEST} # secret",
        f"cookie {UUID}",
        f"session: {UUID}",
        f"password ![logo](data:image/png;base64,{IMAGE})",
        f"integrity of the token: sha512-{IMAGE}",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "token: ghp_" + "x" * 36,
        "sk-your-key-goes-here-and-is-longer-than-32",
        "postgres://user:password@localhost/db",
        "postgres://app:${DB_PASSWORD}@db/app",
        "redis://:{password}@host",
        "http://localhost:8000/a@b",
        "https://github.com/owner/name/blob/main/src/auth/oauth2_token_v1_provider.py",
        "operationId: trustOAuth2JwtGrantIssuer # of a token",
        "a token by `getTrustedOAuth2JwtGrantIssuers` or `listOAuth2TokenExchangeV2Clients`",
        "`TokenProvider2FactoryImplementation` makes a `SessionTokenV2`",
        "`AWS_S3_ACCESS_KEY_ID`, `SESSION_COOKIE_AGE_SECONDS_2`",
        "SECRET_KEY = os.environ['APP_SECRET_KEY_V2']",
        "Spec pkcs8EncodedKeySpec5 = decode(privateKey);\nprivateKey = of(pkcs8EncodedKeySpec5);",
        "password: PasswordField(min_length=12)",
        "token = NewAppWithTokenAndName(database)",
        "-----BEGIN " + "PRIVATE KEY----- is what a key starts with",
        "secret: changeme-changeme-1",
        f"token {MASK}",
    ],
)
def test_what_only_looks_like_a_credential_stays(harmless: str) -> None:
    assert secrets.mask(harmless) == (harmless, [])


def test_of_an_address_only_user_and_password_are_masked() -> None:
    user, password = (hashlib.md5(it).hexdigest() for it in (b"user", b"password"))

    told = secrets.masked(f"The DSN, such as http://{user}:{password}@localhost:9000/2")

    assert told == f"The DSN, such as http://{MASK}:{MASK}@localhost:9000/2"


def test_places_of_what_was_masked_count_in_the_text_as_it_was() -> None:
    canary = next(each for each in KINDS if each.kind == "github")
    shown = f"\\*\\* {text(canary.text)} \\*"

    _, [found] = secrets.mask(shown)

    assert shown[found.start : found.end] == text(canary.text)
    assert found.kind == "token of GitHub"


@pytest.mark.parametrize(
    "unit", ["A", "/", "eyJ", "-----BEGIN ", "secret=", "token ", "://", "a:b@", "\\", "curl -u ",
             "-----BEGIN " + "PRIVATE KEY-----\n", "ghp_", "0a", "secret\n"],
)  # fmt: skip
def test_a_text_of_any_one_thing_is_looked_through_in_passing(unit: str) -> None:
    secrets.mask(unit * (60_000 // len(unit)))


@pytest.mark.parametrize(
    "name",
    ["SECRET_KEY", "password", "dbPassword", "API_KEY", "apiKeys", "PGPASSWORD", "authToken",
     "SENTRY_DSN", "session-cookie", "connectionString", "private_key", "OAUTH_CLIENT", "tokens",
     "awsCredentials", "PASSWORD_SALT", "smtp.pass", "SMTP_PW", "dbpass", "pairingPin",
     "door.passcode", "DOOR_PRIVATE"],
)  # fmt: skip
def test_names_of_secrets_are_known_in_every_spelling(name: str) -> None:
    assert secrets.is_secret_name(name)
    assert not secrets.may_show_default(name, "1")


@pytest.mark.parametrize(
    "name", ["PORT", "author", "keyboard", "monkey", "TOKENIZER", "passenger", "debug", "compass",
             "passive", "bypass", "PINNED", "spin", "passthrough"]
)  # fmt: skip
def test_names_that_hold_such_a_word_by_chance_are_none(name: str) -> None:
    assert not secrets.is_secret_name(name)
    assert secrets.may_show_default(name, "8000")


@pytest.mark.parametrize(
    "value", ["x" * 41, KINDS[2].secret[:40], "postgres://a:hX7gq9@h/d", "7f3Kq9Zp2LmX8vBt4RwY"]
)
def test_a_default_that_is_long_or_looks_random_is_not_shown(value: str) -> None:
    assert not secrets.may_show_default("HOST", value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("TOKEN_TIME", "48"), ("LDAP_AUTH_ENABLED", "False"), ("DB_PASSWORD", "None"),
     ("SMTP_AUTH_STRATEGY", "TLS"), ("sessionTimeout", "3600"), ("COOKIE_RATE", "0.5"),
     ("SESSION_DRIVER", "file"), ("OAUTH_DOMAIN", "github.com"), ("api-key.prefix", "till_"),
      ("secret-store.provider", "database"), ("SIGNING_KEY_PATH", "$root/keys/signing.key"),
      ("TLS_PRIVATE_KEY_FILE", "/etc/till/key.pem"), ("SESSION_COOKIE_NAME", "sid"),
      ("AUTH_HEADER", "X-Till-User"), ("door_keys.retention", "168h"),
      ("AUTH_URL", "http://localhost:80/in"), ("TILL_PRIVATE_SENDER", "Till")],
)  # fmt: skip
def test_a_default_that_can_be_no_secret_is_shown_whatever_it_is_called(
    name: str, value: str
) -> None:
    assert secrets.may_show_default(name, value)


@pytest.mark.parametrize(
    "value", ["ada@till.org", "http://10.1.2.3:80", "https://ada.till.org/x", "10.1.2.3"]
)
def test_values_of_files_that_name_a_mailbox_or_a_machine_are_not_shown(value: str) -> None:
    assert not secrets.may_show_value("till", value)
    assert not secrets.may_show_value("mail.host", "mail.till.org")


def test_values_of_files_that_name_machines_with_ports_are_not_shown_whatever_their_name() -> None:
    assert not secrets.may_show_value("till.brokers", "kafka:9092,a.corp.com:9092")
    assert secrets.may_show_value("till.brokers", "kafka:9092,localhost:9093")
    assert secrets.may_show_value("till.logger", "com.corp.till")
    assert secrets.may_show_value("till.host", "till.example.com:90")


@pytest.mark.parametrize(
    "value", ["http://localhost:80", "http://config:8888", "https://s3.test.com", "127.0.0.1"]
)
def test_values_of_files_that_everybody_has_are_shown(value: str) -> None:
    assert secrets.may_show_value("till", value)


@pytest.mark.parametrize(
    "value", ["jdbc:mysql://db/x?password=hunter2", "user=ada;pw=hunter2", "api.token: hunter2"]
)
def test_a_value_that_gives_a_secret_a_value_is_not_shown(value: str) -> None:
    assert not secrets.may_show_default("till.url", value)
    assert not secrets.may_show_value("till.url", value)


@pytest.mark.parametrize("value", ["amqp://guest:guest@till", "oracle:thin:ada/ada@db"])
def test_values_of_files_that_log_in_are_not_shown(value: str) -> None:
    assert not secrets.may_show_value("till.url", value)


@pytest.mark.parametrize(
    "value", ["http://auth:8080", "jdbc:oracle:thin:@localhost:1521:xe", "mode=fast", "a:b"]
)
def test_values_of_files_that_give_no_secret_are_shown(value: str) -> None:
    assert secrets.may_show_value("till.url", value)


def test_a_word_out_of_a_declared_list_is_no_secret() -> None:
    assert secrets.may_show_default("OAUTH_CLIENT", "web-app", is_choice=True)
    assert not secrets.may_show_default("OAUTH_CLIENT", "web-app")
    assert not secrets.may_show_default("OAUTH_CLIENT", "7f3Kq9Zp2LmX8vBt", is_choice=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("DB_PASSWORD", "123456"), ("PASSWORD_DEFAULT", "ADMIN"), ("DEFAULT_TOKEN", "ABC"),
     ("TOKEN_TIME", "4839201748"), ("TOKEN_TIME", "hunter"), ("AUTH_MODE", "Hunter2"),
     ("AUTH_USER", "ROOT"), ("TOKEN", "a.b.com"), ("TOKEN_URL", "a.org/hooks/8f3"),
     ("AUTH_STRATEGY", "QWKZJXVBNMPLR")],
)  # fmt: skip
def test_any_other_default_of_a_secrets_name_is_not_shown(name: str, value: str) -> None:
    assert not secrets.may_show_default(name, value)


@pytest.mark.parametrize(
    "path",
    [".env", "app/.env.production", "deploy/prod.env", "id_rsa", "certs/server.key", "a/b.pem",
     "release.jks", "x.p12", ".netrc", ".aws/credentials", "terraform.tfstate", "vault.yml",
     "config/secrets.yml", "service-account.json", "credentials.json", ".envrc"],
)  # fmt: skip
def test_files_of_credentials_are_never_opened(path: str) -> None:
    assert credentials.never_opened(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", "app/.env.sample", "env.dist", ".env.template", "src/secrets.py", "keys.md",
     "terraform.tfvars.example", "src/env.ts", "credentials.go", "chart/templates/secrets.yaml",
     ".github/workflows/vault-tests.yml"],
)  # fmt: skip
def test_examples_and_code_are_opened(path: str) -> None:
    assert not credentials.never_opened(path)


def _plan(facts: Facts) -> Iterator[Planned]:
    yield Planned("index", f"Title {KINDS[2].secret}", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    """Everything that a page can be made of, with whatever the files say."""
    tree = facts.tree
    page.summary(tree.text("closed.txt") or tree.text("README.md").split("\n")[0])
    page.quote(tree.text("README.md"), Place("README.md", 1))
    lines = tree.text("config.py").splitlines()
    page.table(
        ("Setting", "Defined"),
        [(code(line), page.cite(Place("config.py", n))) for n, line in enumerate(lines, 1)],
    )
    page.items(md("Message: {}", each) for each in tree.text("messages.txt").split("\0"))
    page.commands(tree.text("run.sh").splitlines())
    page.text(tree.text(".env"), tree.text("deploy/id_rsa"))


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Repository, list[list[Canary]]]:
    return plant(tmp_path / "canaries")


def test_no_canary_reaches_a_page_that_says_all_it_can(
    planted: tuple[Repository, list[list[Canary]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, canaries = planted
    monkeypatch.setattr(catalogue, "PLANS", (_plan,))

    [page] = _pages(repository)

    assert "plain words" not in page.body
    assert _leaks(canaries, [page]) == []
    masked = "\n".join(line for line in page.body.split("\n") if secrets.MASK in line)
    for line in range(1, len(short(canaries[1])) + 1):
        assert f"(source:config.py#L{line})" in masked


def test_no_canary_reaches_a_page_of_the_catalogue(
    planted: tuple[Repository, list[list[Canary]]],
) -> None:
    repository, canaries = planted

    assert _leaks(canaries, _pages(repository)) == []


def _pages(repository: Repository) -> Sequence[Written]:
    with open_path(repository.path, None) as snapshot:
        commit = Commit(snapshot.commit, snapshot.committed_at, None, None, "canaries")
        return generate.generate(snapshot, commit, Nothing()).pages


def _leaks(canaries: list[list[Canary]], pages: Sequence[Written]) -> list[str]:
    told = "\n".join(part for page in pages for part in (page.title, page.description, page.body))
    bare = told.replace("\\", "")
    return [each.kind for some in canaries for each in some if each.secret in bare]
