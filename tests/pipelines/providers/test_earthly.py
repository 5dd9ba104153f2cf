from __future__ import annotations

from pathlib import Path

from stationmaster.pipelines.model import Place
from tests.pipelines.commits import Scanned

FILE = """VERSION 0.8
FROM golang:1.26.1
IMPORT github.com/acme/lib/rust:3.0.1 AS rust

build:
    COPY (+generate/out --x=1) .
    # a comment
    RUN --mount=type=cache,target=/x --secret TOKEN=team/token \\
        go build ./...
    SAVE ARTIFACT bin AS LOCAL bin

generate:
    FROM alpine
    DO rust+CARGO --args="build"
    BUILD ./lib+all
    BUILD github.com/acme/other+test

local:
    LOCALLY
    WITH DOCKER --load img=+build
        RUN make test
    END
    CACHE /cache
"""


def test_the_targets_of_the_root_are_the_jobs(tmp_path: Path) -> None:
    scanned = Scanned(
        tmp_path,
        {
            "Earthfile": FILE,
            "lib/Earthfile": "all:\n    RUN make\n",
            "tests/Earthfile": FILE,
            "examples/go/Earthfile": FILE,
        },
    )
    facts = scanned.facts["Earthfile"]

    assert list(scanned.facts) == ["Earthfile"]
    assert list(scanned.ignored) == ["examples/go/Earthfile", "lib/Earthfile", "tests/Earthfile"]
    assert facts.kind == "reusable"
    assert [(job.id, job.needs, job.image, job.runs_on) for job in facts.jobs] == [
        ("build", ["generate"], "golang:1.26.1", []),
        ("generate", [], "alpine", []),
        ("local", ["build"], "golang:1.26.1", ["local"]),
    ]
    assert [(image.reference, image.pin) for image in facts.images] == [
        ("golang:1.26.1", "exact"),
        ("alpine", "branch"),
    ]
    assert [(use.reference, use.pin) for use in facts.uses] == [
        ("github.com/acme/lib/rust:3.0.1", "exact"),
        ("github.com/acme/other+test", "branch"),
    ]
    assert [(each.location, each.resolved) for each in facts.includes] == [("./lib+all", True)]
    assert (facts.secrets, facts.caching, facts.artifacts) == (
        ["token"],
        ["/cache"],
        ["bin"],
    )
    assert [(each.kind, each.place) for each in facts.commands] == [
        ("build", Place(9, 9)),
        ("test", Place(21, 13)),
    ]


def test_without_a_root_those_in_folders_count(tmp_path: Path) -> None:
    scanned = Scanned(
        tmp_path,
        {"app/Earthfile": "a:\n  RUN make\n", "docs/Earthfile": FILE, "x/Earthfile": "# nothing\n"},
    )

    assert list(scanned.facts) == ["app/Earthfile"]
