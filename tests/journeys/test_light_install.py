"""A laptop: the client from the address of a server, without extras and without a server's
libraries. Every command that speaks to a server works there; every other one says what it needs.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from stationmaster.cli.app import app
from stationmaster.settings import Settings
from tests.support import sessions
from tests.support.commands import succeed
from tests.support.light import ROOT, Light, light_installation
from tests.support.servers import Server, running_server, settings_for

pytestmark = pytest.mark.slow

DAY = ("--from", sessions.DAY, "--to", sessions.DAY)

CARD = """
[[families]]
prefixes = ["claude"]
steps = [{ from = 2026-01-01, multiplier = 2, usd = { input = 4, output = 20 } }]
"""

PRICES = '{"glm-5.3-flash": {"litellm_provider": "zai", "input_cost_per_token": 1.5e-7}}'

CLIENT: list[tuple[str, ...]] = [
    ("collect",),
    ("collect", "--dry-run", "--json"),
    ("collect", "install", "--print"),
    ("collect", "status"),
    ("hooks", "install", "cursor", "claude-code"),
    ("hooks", "status"),
    ("hooks", "check", "home/.claude/settings.json"),
    ("hooks", "remove", "cursor"),
    ("agents", "setup", "claude-code", "--apply"),
    ("agents", "verify", "claude-code"),
    ("ingest", "home"),
    ("analytics", "users", *DAY),
    ("analytics", "tokens", *DAY, "--format", "csv"),
    ("analytics", "tokens", *DAY, "--format", "parquet"),
    ("costs", *DAY),
    ("costs", *DAY, "--group-by", "model"),
    ("costs", *DAY, "--group-by", "model", "--csv"),
    ("costs", "rates", "claude-sonnet-4-5"),
    ("costs", "what-if", *DAY, "--card", "card.toml"),
    ("rates", "list", "claude-sonnet-4-5"),
    ("rates", "age"),
    ("rates", "import", "prices.json", "--dry-run"),
    ("rates", "import", "prices.json"),
    ("rates", "remove", "litellm"),
    ("coverage",),
    ("limits", "set", "owner@example.com", "2000000"),
    ("limits", "list"),
    ("limits", "remove", "owner@example.com"),
    ("limits", "global"),
    *(
        ("limits", "budgets", "set", "--scope", "organization", "--amount", "9", "--currency", name)
        for name in ("usd", "credits")
    ),
    ("limits", "budgets", "list"),
    ("limits", "effective"),
    ("limits", "forecast"),
    ("limits", "requests"),
    ("identity-providers", "list"),
    ("wiki", "check", "pages"),
    ("readiness", "list"),
    ("readiness", "repositories"),
    ("people", "erasures"),
    ("people", "export", "owner@example.com", "--out", "person"),
    ("ci-scan",),
    ("wiki", "upload", "pages", "--repo", "https://example.com/a/b"),
    ("wiki", "list"),
    ("repos", "add", "https://example.com/a/b.git"),
    ("repos", "list"),
    ("repos", "show", "https://example.com/a/b.git"),
    ("repos", "remove", "https://example.com/a/b.git"),
    ("people", "list"),
    ("service-accounts", "create", "robot"),
    ("service-accounts", "list"),
    ("service-accounts", "pause", "robot"),
    ("service-accounts", "resume", "robot"),
    ("service-accounts", "remove", "robot"),
    ("privacy", "show"),
    ("privacy", "set", "named"),
    ("today",),
    ("sessions", "list"),
    ("time-zone", "show"),
    ("time-zone", "set", "UTC"),
    ("retention", "show"),
    ("retention", "set", "90", "--yes"),
    ("audit",),
    ("computers", "register", "laptop", "--yes"),
    ("computers", "list"),
    ("computers", "show", "laptop"),
    ("computers", "ssh-config"),
    ("computers", "trust", "laptop", "--yes"),
    ("computers", "access"),
    ("computers", "sessions", "list", "laptop"),
    ("computers", "remove", "laptop", "--yes"),
    ("jobs", "list"),
    ("agents", "key"),
    ("alerts", "list"),
    ("alerts", "deliveries"),
    ("alerts", "destinations", "list"),
]
"""Each succeeds, in this order, with the address of a server and an owner's key."""

UNKNOWN: list[tuple[str, ...]] = [
    ("computers", "serve"),
    ("computers", "pair", "No Name"),
    ("computers", "approve", "BCDF-GHJK", "--yes"),
    ("computers", "create", "unknown"),
    ("computers", "retry", "unknown"),
    ("computers", "restart", "unknown"),
    ("computers", "refresh", "unknown"),
    ("computers", "logs", "unknown"),
    ("computers", "doctor", "unknown"),
    ("computers", "sessions", "start", "unknown", "codex"),
    ("computers", "sessions", "attach", "unknown"),
    ("computers", "sessions", "stop", "unknown"),
    ("computers", "ssh", "unknown"),
    ("computers", "cp", "file", "unknown:file"),
    ("computers", "port-forward", "unknown", "8080:80"),
    ("sessions", "show", "session_unknown"),
    ("readiness", "show", "arr_unknown"),
    ("readiness", "history", "https://example.com/c/d.git"),
    ("readiness", "compare", "arr_unknown"),
    ("people", "erase", "nobody@example.com", "--yes"),
    ("readiness", "upload", "pages/index.md"),
    ("wiki", "show", "wkr_unknown"),
    ("wiki", "search", "wkr_unknown", "word"),
    ("wiki", "ask", "wkr_unknown", "How does it work?"),
    ("wiki", "delete", "wkr_unknown"),
    ("wiki", "request", "https://example.com/c/d.git"),
    ("wiki", "cancel", "wkr_unknown"),
    ("wiki", "compare", "wkr_unknown", "wkr_other"),
    ("wiki", "export", "wkr_unknown"),
    ("repos", "refresh", "https://example.com/c/d.git"),
    ("people", "merge", "user_unknown", "owner@example.com"),
    ("people", "unmerge", "user_unknown"),
    ("limits", "budgets", "remove", "budget_unknown"),
    ("limits", "ask", "budget_unknown", "--reason", "a migration"),
    ("limits", "approve", "lreq_unknown", "--amount", "9"),
    ("limits", "deny", "lreq_unknown"),
    ("identity-providers", "add", "x", "--issuer", "https://127.0.0.1", "--client-id", "x"),
    ("identity-providers", "change", "unknown", "--client-id", "x"),
    ("identity-providers", "test", "unknown"),
    ("identity-providers", "remove", "unknown", "--yes"),
    ("jobs", "show", "job_unknown"),
    ("alerts", "replay", "msg_unknown"),
    ("alerts", "destinations", "add", "ops", "--address", "https://127.0.0.1/hook"),
    ("alerts", "destinations", "change", "ops", "--disable"),
    ("alerts", "destinations", "remove", "ops", "--yes"),
    ("alerts", "destinations", "rotate", "ops"),
    ("alerts", "destinations", "test", "ops"),
    ("jobs", "cancel", "job_unknown"),
]
"""Client commands, too: each is refused, because the server has no such thing, or asks no address
of its own network."""

SERVER: list[tuple[str, ...]] = [
    ("mcp",),
    ("init",),
    ("up",),
    ("api",),
    ("worker",),
    ("gateway",),
    (
        "gateway",
        "providers",
        "add",
        "x",
        "--kind",
        "openai",
        "--url",
        "https://x",
        "--key-file",
        "-",
    ),
    ("gateway", "providers", "list"),
    ("gateway", "providers", "remove", "x"),
    ("doctor",),
    ("backup", "copy"),
    ("restore", "copy"),
    ("rollup",),
    ("migrate-store", "--to", "postgresql://localhost/x"),
    ("members", "list"),
    ("members", "add", "a@example.com"),
    ("members", "invite", "a@example.com"),
    ("members", "link", "a@example.com"),
    ("members", "role", "a@example.com", "guest"),
    ("members", "team", "a@example.com", "team"),
    ("members", "import", "people.csv"),
    ("members", "remove", "a@example.com"),
    ("sign-in-link",),
    ("keys", "list"),
    ("keys", "create", "--name", "x"),
    ("keys", "revoke", "key_x"),
    ("keys", "rotate-signing"),
    ("readiness", "evaluate", "."),
    ("wiki", "generate", "."),
    ("analytics", "users"),
    ("costs",),
    ("ingest", "pages"),
    ("collect", "--data-dir", "data"),
]
"""What needs the libraries of the server, because it reads code or a local data folder."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings_for(tmp_path_factory.mktemp("server"), "sqlite")


@pytest.fixture(scope="module")
def key(settings: Settings) -> str:
    """Of the owner of a new organization."""
    made = succeed("init", "--data-dir", settings.data_dir, "--owner", "owner@example.com")
    return str(made["api_key"])


@pytest.fixture(scope="module")
def server(settings: Settings, key: str) -> Iterator[Server]:
    with running_server(settings) as running:
        yield running


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    """Of the wheel, as the server's own page names it."""
    with server.client() as visitor:
        _, _, line = visitor.get("/install").text.partition("uv tool install ")
    return line.partition("<")[0]


@pytest.fixture(scope="module")
def laptop(address: str, tmp_path_factory: pytest.TempPathFactory) -> Light:
    light = light_installation(tmp_path_factory.mktemp("laptop") / "light", address)
    sessions.a_session(light.folder / "home")
    pages = light.folder / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("# Pages\n\nA word.\n")
    (light.folder / "data").mkdir()
    (light.folder / "data" / "stationmaster.json").write_text('{"format": 1}')
    (light.folder / "card.toml").write_text(CARD)
    (light.folder / "prices.json").write_text(PRICES)
    (light.folder / "people.csv").write_text("email\na@example.com\n")
    return light


@pytest.fixture
def variables(server: Server, key: str) -> dict[str, str]:
    """A server and a key, as a person sets them for all commands."""
    return {"STATIONMASTER_URL": server.url, "STATIONMASTER_KEY": key}


def test_nothing_of_the_server_can_be_imported(laptop: Light) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert len(project["optional-dependencies"]["server"]) > 10
    script = (
        "import importlib.util as u, json\n"
        "names = ['sqlalchemy', 'fastapi', 'starlette', 'uvicorn', 'duckdb', 'pyarrow', 'yaml',"
        " 'jinja2', 'cryptography', 'argon2', 'joserfc', 'alembic', 'tree_sitter', 'psycopg',"
        " 's3fs', 'pyspark', 'pytest']\n"
        "print([n for n in names if u.find_spec(n)])"
    )
    python = laptop.folder / "bin" / "python"
    shown = subprocess.run(
        [python, "-c", script], env=laptop.environment(), capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"


def test_the_program_that_was_installed_says_its_version(laptop: Light) -> None:
    done = laptop.run("--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("stationmaster ")


def test_a_laptop_shows_what_it_would_send(laptop: Light) -> None:
    done = laptop.run("collect", "--dry-run")

    assert done.returncode == 0, done.stderr
    assert "claude-code" in done.stdout
    assert "nothing was sent" in done.stderr


def test_every_client_command_works_with_a_server(laptop: Light, variables: dict[str, str]) -> None:
    done = laptop.run_all(CLIENT, **variables)

    failed = [(c, d.stderr) for c, d in zip(CLIENT, done, strict=True) if d.code != 0]
    assert failed == []


def test_what_the_server_does_not_have_is_its_answer_and_no_missing_library(
    laptop: Light, variables: dict[str, str]
) -> None:
    done = laptop.run_all(UNKNOWN, **variables)

    assert [c for c, d in zip(UNKNOWN, done, strict=True) if d.code != 1] == []
    assert [d.error for d in done if "not installed" in d.error] == []


def test_a_budget_is_set_refuses_on_the_laptop_and_more_is_asked_for(
    laptop: Light, variables: dict[str, str], tmp_path: Path
) -> None:
    own = {"STATIONMASTER_CLIENT_DIR": str(tmp_path / "client")}
    terms = ("--amount", "0", "--currency", "usd", "--at-end", "refuse", "--json")
    made = laptop.run("limits", "budgets", "set", "--scope", "organization", *terms, **variables)
    budget = json.loads(made.stdout)["id"]
    named = ("--url", variables["STATIONMASTER_URL"], "--key", variables["STATIONMASTER_KEY"])
    installed = laptop.run("hooks", "install", "codex", "--gate", *named, **own)
    assert installed.returncode == 0, installed.stderr
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Do."}

    hook = subprocess.run(
        [laptop.program, "hook", "--gate", "--agent", "codex"],
        input=json.dumps(prompt),
        env=laptop.environment(**own),
        capture_output=True,
        text=True,
        timeout=120,
    )
    reason = json.loads(hook.stdout)["reason"]
    refused = f"stationmaster limits ask {budget} --reason WHY"
    asked = laptop.run("limits", "ask", budget, "--reason", "a release", **own)

    assert refused in reason
    assert asked.returncode == 0, asked.stderr
    assert laptop.run("limits", "budgets", "remove", budget, **variables).returncode == 0


def test_a_run_of_a_wiki_comes_in_every_layout(laptop: Light, variables: dict[str, str]) -> None:
    upload = ("wiki", "upload", "pages", "--repo", "https://example.com/e/f", "--json")
    run = laptop.run_all([upload], **variables)[0].json["wikiRunId"]

    done = laptop.run_all(
        [
            ("wiki", "export", run, "--out", "run.zip"),
            ("wiki", "export", run, "--out", "flat", "--layout", "pages"),
            ("wiki", "export", run, "--out", "forge", "--layout", "github"),
        ],
        **variables,
    )

    assert [d.stderr for d in done if d.code != 0] == []
    assert zipfile.is_zipfile(laptop.folder / "run.zip")
    assert (laptop.folder / "flat" / "index.md").exists()
    assert (laptop.folder / "forge" / "Home.md").exists()


def test_every_other_command_says_in_one_line_how_to_get_what_it_needs(laptop: Light) -> None:
    done = laptop.run_all(SERVER, STATIONMASTER_DATA_DIR="data")

    assert [c for c, d in zip(SERVER, done, strict=True) if d.code != 1] == []
    wanted = [
        f"pip install 'stationmaster[{'mcp' if c == ('mcp',) else 'server'}] @ " for c in SERVER
    ]
    assert [
        (c, d.error) for c, part, d in zip(SERVER, wanted, done, strict=True) if part not in d.error
    ] == []


def test_every_command_was_tried() -> None:
    tried = {" ".join(line) for line in [*CLIENT, *UNKNOWN, *SERVER]}

    assert [
        name
        for name in leaves(typer.main.get_command(app))
        if not any(line == name or line.startswith(f"{name} ") for line in tried)
        # One speaks to the service manager of the machine alone, one only where mail is set up.
        and name not in ("collect uninstall", "mail test")
    ] == []


def leaves(command: Any, name: str = "") -> Iterator[str]:
    children = getattr(command, "commands", None)
    if not children:
        yield name
        return
    for child, sub in children.items():
        yield from leaves(sub, f"{name} {child}".strip())
