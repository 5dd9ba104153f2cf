"""Whether somebody is told how to run it, and how to see that it works."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.readiness.criteria.build.documented import LANGUAGES, guides
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, passes, unknown
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import App, Place

_RUNS_APP = (
    "npm start",
    "npm run dev",
    "npm run start",
    "yarn dev",
    "yarn start",
    "pnpm dev",
    "pnpm start",
    "bun dev",
    "bun run dev",
    "docker compose up",
    "docker-compose up",
    "docker run",
    "go run",
    "cargo run",
    "dotnet run",
    "swift run",
    "flask run",
    "rails server",
    "rails s",
    "bin/dev",
    "dev",
    "mix phx.server",
    "uvicorn",
    "gunicorn",
    "manage.py runserver",
    "gradlew bootRun",
    "gradlew run",
    "mvn spring-boot:run",
    "mvnw spring-boot:run",
    "make run",
    "make dev",
    "make serve",
    "just run",
    "just dev",
    "skaffold run",
    "skaffold dev",
    "artisan serve",
    "php -S",
    "fastapi dev",
    "vite",
    "pnpm run dev",
    "pnpm run start",
    "make up",
    "task dev",
    "task run",
    "foreman start",
    "tilt up",
    "air",
    "java -jar",
    "kubectl apply",
    "minikube start",
    "deno task dev",
    "next dev",
    "overmind start",
)
_VERIFIES = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])|\bcurl\s|\bhttpie?\s|screenshot"
    r"|\bgrpcurl\b"
    r"|https?://[\w.-]{1,60}\.(?:local|test|localhost)\b|port-forward"
)
_QA = re.compile(
    r"(?:.{0,200}/)?(?:skills|commands)/(?:.{0,100}/)?[^/]{0,60}\b(?:qa|verify|smoke|manual-test"
    r"|e2e)\b"
    r".{0,100}\.md"
)


def interactive_qa_exists(facts: Facts, app: App) -> Verdict:
    """Passes where a skill or document says how to run it and try it; unknown elsewhere."""
    path = facts.remembered("qa skill", lambda: _qa_skill(facts))
    if path is not None:
        return passes("A skill or command says how to try it", Place(path))
    names = {app.name.rpartition("/")[2], *_programs(app)}
    shown = facts.remembered("shown commands", lambda: _shown_commands(facts))
    for document, commands_of in shown:
        if facts.tree.owner(document.path) not in (app.path, None, "."):
            continue
        for words, line, starts in commands_of:
            is_own = "cli" in app.kinds and shell.program(words) in names and len(words) > 1
            if is_own:
                place = Place(document.path, line)
                return passes("A document shows how to run it, and what to try", place)
            if starts and _VERIFIES.search(document.text):
                place = Place(document.path, line)
                return passes("A document says how to run it, and where to look", place)
    return unknown("No document has both a command that runs it and a step that tries it")


def _qa_skill(facts: Facts) -> str | None:
    return next((all_path for all_path in facts.tree.all_paths if _QA.fullmatch(all_path)), None)


def _shown_commands(
    facts: Facts,
) -> Sequence[tuple[Document, Sequence[tuple[shell.Words, int, bool]]]]:
    """The commands in blocks of documents, their line, and whether they start something."""
    shown_commands = []
    for document in guides(facts):
        told = [
            (words, code.line, shell.says_any(words, _RUNS_APP))
            for code in document.code
            if code.language in LANGUAGES
            for words in shell.simple(code.text)
        ]
        shown_commands.append((document, told))
    return shown_commands


def _programs(app: App) -> set[str]:
    """Names of the programs that an application installs."""
    programs: set[str] = set()
    for manifest in app.manifests:
        given = manifest.data.get("bin")
        project = manifest.data.get("project")
        scripts = project.get("scripts") if isinstance(project, dict) else None
        for each in (given, scripts):
            programs |= set(map(str, each)) if isinstance(each, dict) else set()
        for binary in given if isinstance(given, list) else ():
            if isinstance(binary, dict) and isinstance(binary.get("name"), str):
                programs.add(binary["name"])
    return programs
