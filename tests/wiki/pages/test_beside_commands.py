from tests.wiki.pages.test_getting_started import page


def test_what_a_pipeline_sets_for_tests_is_told_beside_their_command() -> None:
    job = "{runs-on: x, services: {postgres: {image: a}}, steps: [{run: go test ./..., env: {%s}}]}"
    workflow = f"on: push\njobs:\n  unit: {job % 'DATABASE_URL: a, GITHUB_TOKEN: b'}\n"
    told = page({".github/workflows/ci.yml": workflow, "go.mod": "module shop\n"})
    assert "The pipeline starts PostgreSQL (" in told
    assert (
        "The pipeline sets `DATABASE_URL` for `go test ./...` ([`.github/workflows/ci.yml:3`]"
        in told
    )
