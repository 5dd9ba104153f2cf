import pytest

from stationmaster.wiki.facts.tooling import deploys
from stationmaster.wiki.pages.deployment import plan
from tests.wiki.commits import facts_of, written

DOCKERFILE = """ARG GO=1.22
FROM "golang:${GO}" AS build
RUN go build
FROM build AS more
FROM --platform=x alpine:3.20
EXPOSE 8080 9090/tcp $PORT
CMD ["x"]
ENTRYPOINT ["/shop", "serve"]
"""
COMPOSE = """services:
  web:
    build: {context: ./web}
    ports: ["8080:80", {target: 9090}]
    depends_on: [db]
    environment: {PASSWORD: hunter2hunter2}
    env_file: [web.env, {path: local.env, required: false}]
  db:
    image: postgres:16
"""
CONTENTS = {
    "Dockerfile": DOCKERFILE,
    ".devcontainer/Dockerfile": DOCKERFILE,
    "compose.yaml": COMPOSE,
    "tests/compose.yaml": COMPOSE,
    "Procfile": "web: ./shop serve\n",
    "deploy/app.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\n",
    "deploy/values.yaml": "kind: small\n",
    "infra/main.tf": 'resource "aws_s3_bucket" "files" {\n}\nmodule "net" {\n}\n',
    "fly.toml": "app = 'x'\n",
    "web/app.json": '{"name": "x"}',
}


def test_an_image_starts_from_what_is_no_stage_of_its_own() -> None:
    (image,) = deploys.images(facts_of(CONTENTS))
    assert (image.bases, image.stages, image.ports, image.start) == (
        ("golang:1.22", "alpine:3.20"), 3, ("8080", "9090/tcp"), "/shop serve x",
    )  # fmt: skip


def test_services_have_their_image_or_folder_their_ports_and_what_they_need() -> None:
    ((path, (db, web)),) = deploys.services(facts_of(CONTENTS))
    assert (path, db.image, db.build) == ("compose.yaml", "postgres:16", "")
    assert (web.build, web.ports, web.needs, web.place.line) == ("./web", ("8080:80", "9090"),
                                                                 ("db",), 3)  # fmt: skip


def test_an_image_of_a_service_has_the_defaults_of_its_variables() -> None:
    named = 'services:\n  web:\n    image: "ghcr.io/a/${NAME:-shop}:${VERSION-release}"\n'
    ((_, (web,)),) = deploys.services(facts_of({"compose.yaml": named}))
    assert web.image == "ghcr.io/a/shop:release"


def test_resources_are_kinds_that_are_declared() -> None:
    facts = facts_of(CONTENTS)
    (service,) = deploys.objects(facts)
    assert (service.kind, service.names, service.count) == ("Service", ("shop",), 1)
    assert [each.kind for each in deploys.terraform(facts)] == ["aws_s3_bucket", "module net"]


def test_platforms_are_known_by_files_that_nothing_else_is_called_like() -> None:
    assert [name for name, _ in deploys.platforms(facts_of(CONTENTS))] == ["Fly.io"]


def test_the_page_tells_all_of_it_and_no_value() -> None:
    facts = facts_of(CONTENTS)
    (planned,) = plan(facts)
    told = written(facts, planned.write, planned.subject, planned.key)
    assert "The repository has files for 1 container image." in told
    assert "| `web` | built from `./web` | `8080:80`, `9090` | `db` |" in told
    assert 'n1["db"]\n  n2["web"]\n  n2 --> n1' in told
    assert "| `web` | `./shop serve` | [`Procfile:1`]" in told
    assert "hunter2" not in told


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("Dockerfile", "FROM x\n"),
        ("compose.yaml", "services:\n  web:\n    image: x\n"),
        ("chart/Chart.yaml", "name: shop\n"),
        ("Procfile", "web: ./shop serve\n"),
        ("deploy/app.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\n"),
    ],
)
def test_one_file_that_says_how_it_runs_makes_the_page(path: str, content: str) -> None:
    facts = facts_of({path: content})
    (planned,) = plan(facts)
    assert f"`{path}" in written(facts, planned.write, planned.subject, planned.key)


def test_an_image_names_its_volumes_its_health_check_and_ports_that_its_variables_hold() -> None:
    (image,) = deploys.images(facts_of({
        "Dockerfile": "FROM x\nENV DATA=/data PORT=4533\nEXPOSE ${PORT}\n"
        'VOLUME ["/data", "/music"]\nVOLUME /more\n'
        "HEALTHCHECK --interval=5s CMD wget -q localhost\n",
    }))  # fmt: skip
    assert (image.ports, image.volumes, image.health) == (
        ("4533",), ("/data", "/music", "/more"), "wget -q localhost",
    )  # fmt: skip


def test_a_container_file_may_be_named_after_what_it_is_for() -> None:
    facts = facts_of({"TestDockerfile": "FROM x\n", "docker/Dockerfile": "FROM y\n"})
    assert [it.place.path for it in deploys.images(facts)] == [
        "TestDockerfile", "docker/Dockerfile",
    ]  # fmt: skip


def test_services_name_their_volumes_and_what_checks_them() -> None:
    ((_, (cache, web)),) = deploys.services(facts_of({
        "compose.yaml": "services:\n  web:\n    image: web\n    ports: ['${PORT:-80}:80']\n"
        "    volumes: ['data:/data', {type: bind, source: ./a, target: /a}, {target: /b}]\n"
        "    healthcheck: {test: curl -f localhost}\n"
        "  cache:\n    image: redis\n    healthcheck: {test: [CMD, redis-cli, ping]}\n",
    }))  # fmt: skip
    assert (web.ports, web.volumes, web.health) == (
        ("${PORT:-80}:80",), ("data:/data", "./a:/a", "/b"), "curl -f localhost",
    )  # fmt: skip
    assert cache.health == "redis-cli ping"


def test_the_page_tells_what_outlives_a_container_and_what_checks_it() -> None:
    facts = facts_of({
        "Dockerfile": "FROM x\nVOLUME /data\n",
        "compose.yaml": "services:\n  web:\n    image: web\n    volumes: ['data:/data']\n"
        "    healthcheck: {test: curl -f localhost}\n  plain:\n    image: x\n",
    })  # fmt: skip
    (planned,) = plan(facts)
    told = written(facts, planned.write, planned.subject, planned.key)
    rest = told.partition("## Volumes and health checks")[2]
    assert "| the image | `/data` |   | [`Dockerfile`]" in rest
    assert "| `web` | `data:/data` | `curl -f localhost` | [`compose.yaml:3`]" in rest
    assert "plain" not in rest


def test_what_says_nothing_of_where_it_runs_has_no_such_page() -> None:
    assert list(plan(facts_of({"a.py": "x = 1\n"}))) == []


def test_what_an_image_runs_is_no_comment_and_no_part_of_a_line() -> None:
    facts = facts_of({
        "Dockerfile": 'FROM php\nCMD \\\n    # Once\n    if [ ! -d "./v" ]; then make ; fi && \\\n'
        "    # Then\n    exec ./bin/rr serve\n"
    })  # fmt: skip
    (image,) = deploys.images(facts)
    assert image.start == 'if [ ! -d "./v" ]; then make ; fi && exec ./bin/rr serve'


def test_the_compose_file_to_which_others_add_comes_first() -> None:
    service = "services:\n  web:\n    image: web\n"
    facts = facts_of(dict.fromkeys(["docker-compose.ci.yml", "docker-compose.yml"], service))

    assert [path for path, _ in deploys.services(facts)] == [
        "docker-compose.yml",
        "docker-compose.ci.yml",
    ]


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        ('ENTRYPOINT ["/entry.sh"]\nCMD ["node", "server.js"]', "/entry.sh node server.js"),
        ("ENTRYPOINT exec node server.js\nCMD x", "exec node server.js"),
        ('ENTRYPOINT []\nCMD ["/shop", "serve"]', "/shop serve"),
        ("CMD ./build.sh\nFROM alpine\nCMD ./shop", "./shop"),
        ("CMD ./build.sh\nFROM alpine", ""),
        ("CMD ./shop\nFROM first", "./shop"),
    ],
)
def test_an_image_runs_its_entry_point_with_what_it_is_given(lines: str, start: str) -> None:
    (image,) = deploys.images(facts_of({"Dockerfile": f"FROM node AS first\n{lines}\n"}))
    assert image.start == start


def test_a_service_names_the_files_that_its_environment_comes_from() -> None:
    ((_, services),) = deploys.services(facts_of({"compose.yaml": COMPOSE}))
    assert [service.settings for service in services] == [(), ("web.env", "local.env")]


def test_a_long_command_of_an_image_is_shown_with_its_end() -> None:
    facts = facts_of({"Dockerfile": f"FROM alpine\nCMD {'true && ' * 60}exec ./shop serve\n"})
    (planned,) = plan(facts)
    assert "exec ./shop serve` |" in written(facts, planned.write, planned.subject, planned.key)


@pytest.mark.parametrize(("path", "is_told"), [("Procfile.dev", True), ("Procfile", False)])
def test_a_procfile_for_development_runs_no_installation(path: str, is_told: bool) -> None:
    facts = facts_of({path: "web: ./shop serve\n"})
    (planned,) = plan(facts)
    told = written(facts, planned.write, planned.subject, planned.key)
    assert (f"What `{path}` starts is for development." in told) == is_told
