from tests.wiki.pages.test_getting_started import page


def test_what_a_pipeline_sets_for_tests_is_told_beside_their_command() -> None:
    job = "{runs-on: x, services: {postgres: {image: a}}, steps: [{run: go test ./..., env: {%s}}]}"
    workflow = f"on: push\njobs:\n  unit: {job % 'DATABASE_URL: a, GITHUB_TOKEN: b'}\n"
    told = page({".github/workflows/ci.yml": workflow, "go.mod": "module shop\n"})
    assert "The pipeline starts PostgreSQL (" in told
    assert (
        "The pipeline sets `DATABASE_URL=a` for `go test ./...` ([`.github/workflows/ci.yml:3`]"
        in told
    )


COMPOSE = """services:
  db: {image: "postgres:17"}
  site: {build: .}
  mail: {build: ., command: send}
"""
GUIDE = "# Shop\n\n```sh\npython manage.py runserver\n```\n"
SITE = {"README.md": GUIDE, "manage.py": "import django\n", "requirements.txt": "django\n"}


def test_processes_and_services_that_no_command_starts_are_named_beside_the_one_that_runs() -> None:
    procs = "web: gunicorn shop.wsgi\nmail: python manage.py send\n"
    told = page({**SITE, "Procfile": procs, "compose.yml": COMPOSE})
    assert (
        "[`Procfile`](source:Procfile) names the processes `web` (`gunicorn shop.wsgi`)"
        ", `mail` (`python manage.py send`)." in told
    )
    assert "[`compose.yml`](source:compose.yml) builds the services `mail`, `site`." in told


def test_what_a_command_starts_as_a_whole_is_not_named_again() -> None:
    guide = GUIDE.replace("python manage.py runserver", "honcho start\ndocker compose up")
    procs = "web: gunicorn shop.wsgi\nmail: python manage.py send\n"
    told = page({**SITE, "README.md": guide, "Procfile": procs, "compose.yml": COMPOSE})
    assert "names the processes" not in told
    assert "builds the services" not in told


def test_several_processes_of_one_program_and_of_examples_are_no_further_programs() -> None:
    procs = "one: ./engine -a\ntwo: ./engine -b\nhook: go run ./examples/hook\n"
    assert "names the processes" not in page({**SITE, "Procfile": procs})


def test_programs_that_no_command_to_run_names_are_named() -> None:
    main = "package main\n\nfunc main() {}\n"
    contents = {
        "go.mod": "module example.com/shop\n\ngo 1.22\n",
        "README.md": "# Shop\n\n```sh\ngo run ./cmd/shop\n```\n",
        "cmd/shop/main.go": main,
        "cmd/till/main.go": main,
    }
    further = "Further programs of the repository: `till` ([`cmd/till/main.go`]"
    assert further in page(contents)
    assert "Further" not in page({**contents, "cmd/till/main.go": "package till\n"})
