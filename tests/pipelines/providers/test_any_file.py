"""Whatever stands in a file, every provider tells facts, a fault, or that it is no workflow."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.catalogue import ci
from stationmaster.pipelines import scan
from stationmaster.pipelines.model import Facts, NoWorkflow
from stationmaster.pipelines.providers import draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault
from tests.pipelines.providers.support import Commit
from tests.pipelines.providers.test_listed import FILES as LISTED

PATHS = [
    ".github/workflows/x.yml", ".gitea/workflows/x.yml", ".forgejo/workflows/x.yml",
    ".gitlab-ci.yml", ".circleci/config.yml", ".circleci/x.yml",
    ".buildkite/pipeline.yml", ".buildkite/x.yml", "bitbucket-pipelines.yml", ".travis.yml",
    ".woodpecker/x.yml", ".drone.yml", ".drone.star", "Jenkinsfile", ".tekton/x.yaml",
    "azure-pipelines.yml", "eng/x.yml", ".teamcity/x.kts", ".teamcity/x.xml", *LISTED,
]  # fmt: skip
"""One for each provider, and one more where another name is read otherwise."""

_NAMES = """
    on jobs steps run uses with needs runs-on include extends a script rules if only parallel
    matrix trigger default schedule cron container image workflow name timeout group labels refs
    workflows commands executors orbs docker machine requires filters branches tags context version
    plugins label agents command env key block wait depends_on concurrency_group soft_fail pipelines
    step pipe stage pull-requests custom caches services artifacts deployment definitions language
    os deploy provider secure cache import kind when event path settings from_secret environment
    secrets blocks task prologue epilogue promotions pipeline_file agent values queue build_script
    test_script ps platform configuration init x_task x_script x_cache freebsd_instance ENCRYPTED[x]
    type spec stages execution template templateRef metadata triggers variables pool vmImage
    dependsOn strategy displayName inputs pipeline resources repositories push 3 true ${{if}} <<x>>
    ./.github/workflows/x.yml id_tokens reports deployments component ref
"""
_WORDS = st.sampled_from(_NAMES.split())
_TEXTS = st.sampled_from(
    ["claude -p x", "openai/codex-action@v1", "**/*", "buildkite-agent pipeline upload x.yml",
     "type IN (push, api)", "ns/orb@1.2.3", "a#v1", "$API_TOKEN", "<+secrets.getValue('x')>"]
)  # fmt: skip
_TREES = st.recursive(
    st.one_of(_WORDS, _TEXTS, st.none(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_WORDS, inner, max_size=6)
    ),
    max_leaves=40,
)


def _system(path: str) -> str:
    return ci.of_path(path)[0]


def _read(path: str, content: bytes) -> Facts | None:
    return scan.read(_system(path), path, draft.Commit(Files(Commit({path: content}))))


def test_every_system_is_tried() -> None:
    assert {_system(path) for path in PATHS} == set(ci.systems())


@given(
    st.lists(st.sampled_from(PATHS), min_size=15, max_size=15),
    st.one_of(st.binary(max_size=200), _TREES.map(msgspec.json.encode)),
)
@settings(max_examples=200)
def test_any_file_is_facts_a_fault_or_no_workflow(paths: list[str], given: bytes) -> None:
    for path in paths:
        try:
            facts = _read(path, given)
        except (Fault, NoWorkflow):
            continue
        msgspec.json.encode(facts)


def _told(path: str, content: bytes) -> str:
    """The state of a file, or that it is none."""
    try:
        facts = _read(path, content)
    except Fault:
        return "error"
    except NoWorkflow:
        return "none"
    return "none" if facts is None else facts.parse.state


@pytest.mark.parametrize(
    "path",
    [p for p in PATHS if p.endswith(("yml", "yaml")) and not ci.closed(ci.of_path(p)[0])],
)
@pytest.mark.parametrize(
    "content",
    [
        b"steps: [" + b"#" * (10 * 2**20),
        b"a: &a [x, x, x, x, x, x, x, x, x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (n, n, b"*%c, " % (n - 1) * 9) for n in range(98, 107)),
        b"steps: " + b"[" * 5_000,
        b"steps: &a [*a]\n",
        b"steps: \x00\n",
    ],
    ids=["10 MB", "aliases of aliases", "nesting", "itself", "control character"],
)
def test_a_file_that_no_loader_should_take_is_told_so(path: str, content: bytes) -> None:
    assert _told(path, content) in ("error", "none")


LONG = "make " + "x" * 60_000
HEAVY = {
    "bitbucket-pipelines.yml": "s: &s {{step: {{script: ['{long}']}}}}\n"
    "pipelines: {{default: [{many}]}}\n",
    ".buildkite/pipeline.yml": "s: &s {{commands: ['{long}', a], plugins: [a, b]}}\n"
    "steps: [{many}]\n",
    ".semaphore/semaphore.yml": "j: &s {{commands: ['{long}']}}\n"
    "blocks: [{{name: b, task: {{jobs: [{many}]}}}}]\n",
    ".woodpecker/x.yml": "s: &s {{image: x, commands: ['{long}', a]}}\nsteps: [{many}]\n",
    ".travis.yml": "s: &s {{script: ['{long}', a]}}\njobs: {{include: [{many}]}}\n",
    ".circleci/config.yml": "s: &s {{run: '{long}'}}\njobs: {{a: {{steps: [{many}]}}}}\n",
    "azure-pipelines.yml": "trigger: none\nsteps: [{many}]\n",
    ".prow.yaml": "s: &s {{script: ['{long}', a]}}\nperiodics: [{many}]\n",
}


@pytest.mark.parametrize("path", HEAVY)
def test_a_file_that_multiplies_itself_ends_soon(path: str) -> None:
    many = "*s, " * 9_000 if "&s" in HEAVY[path] else "{template: azure-pipelines.yml}, " * 9_000
    start = time.process_time()

    _told(path, HEAVY[path].format(long=LONG, many=many).encode())

    assert time.process_time() - start < 30
