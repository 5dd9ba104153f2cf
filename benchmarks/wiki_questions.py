"""Are answers found? Questions to generated wikis of public repositories, each with words that the
page which answers it has.

python -m benchmarks.wiki_questions FOLDER… : bare or plain repositories, in which nothing is
changed, each in a folder called after it (`owner+name/repo` or `name`).
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.builders import an_organization
from tests.wiki.wikis import a_caller

from benchmarks.wiki_quality import _name
from stationmaster.db.engine import Database
from stationmaster.repos.reading import open_path
from stationmaster.wiki import service
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making import generated
from stationmaster.wiki.making.generate import generate
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.searching import asking

FIRST = 3
"""Among so many pages the answer must be."""
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "datasette": {
        "which settings are there": r"default_page_size",
        "endpoints": r"/-/(?:settings|plugins|versions)",
        "how are permissions decided": r"allowed|permission_resources_sql|PermissionSQL",
        "run the tests": r"just test|pytest",
        "plugin hooks": r"register_routes|hookspec|pluggy",
        "secret environment variable": r"DATASETTE_SECRET",
        "publish command": r"publish",
        "facets": r"Facet",
        "how does a request find its view": r"DatasetteRouter|add_route|route_path|_routes",
    },
    "ripgrep": {
        "option --sort": r"--sort",
        "gitignore rules": r"[Gg]itignore",
        "which crates is it made of": r"grep-searcher|`searcher`|crates/searcher",
        "build from source": r"cargo build",
        "binary files": r"BinaryDetection|[Bb]inary",
        "configuration file": r"RIPGREP_CONFIG_PATH",
        "how are matches printed": r"[Pp]rinter|Standard",
        "release workflow": r"release\.yml",
    },
    "dependency-cruiser": {
        "extract dependencies": r"extract",
        "reporters output formats": r"report",
        "caching": r"cache",
        "validate rules": r"validate",
        "run tests": r"npm test|npm run test",
        "cli options": r"--(?:include-only|config|output-type)",
        "typescript path aliases": r"tsconfig|tsConfig|ts-config",
    },
    "CleanArchitecture": {
        "endpoints": r"/api/Todo(?:Items|Lists)",
        "new use case": r"ca-usecase|use case",
        "project references": r"Infrastructure",
        "database entities": r"TodoItem",
        "run locally": r"dotnet run",
        "decision records": r"ADR|[Dd]ecision",
        "validation behaviour": r"ValidationBehaviour",
    },
    "spring-boot-realworld-example-app": {
        "endpoints": r"/articles",
        "bootRun": r"bootRun",
        "database tables": r"article_tags|articles",
        "jwt authentication": r"[Jj]wt",
        "graphql": r"[Gg]raph[Qq][Ll]",
        "layers": r"infrastructure|core",
    },
    "lobsters": {
        "front page": r"/newest|home#|HomeController|/page",
        "contribute agents": r"AGENTS|agents?",
        "tables": r"stories",
        "background jobs": r"Job",
        "how is hotness calculated": r"hotness",
        "run tests": r"rspec",
        "moderation log": r"[Mm]oderation",
        "tag filters": r"tag_filters|TagFilter",
    },
}  # fmt: skip


def main() -> None:
    found = asked = 0
    for folder in sys.argv[1:]:
        name = _name(Path(folder)).rpartition("/")[2]
        questions = QUESTIONS.get(name)
        if questions is None:
            print(f"{folder}: no questions about {name}")
            continue
        missed = _missed(Path(folder), questions)
        asked += len(questions)
        found += len(questions) - len(missed)
        print(f"{name}: {len(questions) - len(missed)} of {len(questions)}", *missed, sep="\n  ")
    print(f"{found} of {asked}: {found / max(asked, 1):.2f}")


def _missed(path: Path, questions: Mapping[str, str]) -> list[str]:
    """The questions without an answer among the first pages, and those that came instead."""
    with open_path(path) as snapshot:
        commit = Commit(
            snapshot.commit, snapshot.committed_at, snapshot.branch,
            "https://git.example.com/bench/wiki", _name(path).rpartition("/")[2],
        )  # fmt: skip
        wiki = generate(snapshot, commit, Nothing())
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(f"sqlite:///{folder}/state.sqlite3")
        db.migrate()
        try:
            caller = a_caller(db, an_organization(db))
            run = service.create(db, caller, generated.upload(wiki))
            bodies = {page.key: page.body for page in wiki.pages}
            missed = []
            for question, words in questions.items():
                hits = asking.find(db, caller, run.run_id, question, FIRST)
                if not any(re.search(words, bodies[each.path]) for each in hits):
                    missed.append(f"{question}: {', '.join(each.path for each in hits)}")
            return missed
        finally:
            db.close()


if __name__ == "__main__":
    main()
