"""Which files are those of Docker Compose, and which of their services commands start."""

from stationmaster.wiki.facts.tooling.deploys import compose_files
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_written import begin

IMAGE = "services:\n  db:\n    image: postgres\n"


def test_a_file_with_services_that_have_images_is_one_whatever_its_name() -> None:
    files = {
        "compose.yaml": "", "dev.docker-compose.yml": "", "quickstart.yml": IMAGE,
        "contrib/start/gitlab.yml": IMAGE.replace("image: postgres", "build: ."),
        "deploy/Stack.yaml": f"# Stack\n{IMAGE}",
    }  # fmt: skip
    others = {
        "config/services.yml": IMAGE,
        "services.yml": "services:\n  app.mailer:\n    public: true\n",
        "ci.yml": "services:\n  - postgres\n",
        "jobs.yml": f"jobs:\n  {IMAGE}",
        "large.yml": IMAGE + "#\n" * 60_000, "broken.yml": f"{IMAGE}  - [",
        "empty.yml": "services:",
    }  # fmt: skip
    assert compose_files(facts_of({**files, **others})) == {*files}


def test_a_service_that_no_compose_file_has_is_not_started() -> None:
    compose = "services:\n  db:\n    image: postgres:17\n"
    for service, offered in (("db", ["docker compose up db"]), ("demo-db", [])):
        guide = f"# Work\n\n```sh\ndocker compose up {service}\n```\n"
        contents = {"compose.yaml": compose, "CONTRIBUTING.md": guide, "go.mod": "module a.b/c\n"}
        assert begin(contents, "services") == offered


def test_scripts_that_an_image_runs_before_it_compiles_the_product_come_first() -> None:
    build = 'npm ci && \\\n  npm run package && \\\n  go build -ldflags "-s -w" -o /till'
    image = f"FROM golang\nRUN {build}\n"
    files = {
        "go.mod": "module example.com/till\n", "main.go": "package main\n\nfunc main() {}\n",
        "package.json": '{"scripts": {"package": "node esbuild.mjs", "build": "node esbuild.mjs"}}',
    }  # fmt: skip
    assert begin(files, "build") == ["go build ."]
    assert begin({**files, "Dockerfile": image}, "build") == ["npm run package", "go build ."]
    of_all = {"Makefile": "build:\n\tnpm run package && go build .\n"}
    assert begin({**files, **of_all, "Dockerfile": image}, "build") == ["make build"]
