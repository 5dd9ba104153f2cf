"""CI automations: recent runs, and changes of workflows as pull requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.v0.automations import CiIntegration
from stationmaster.errors import BadRequest
from stationmaster.pipelines.scanning import edits, forges, step_inputs

routes = router("/api/v0/automations/ci", "CI scan")

_Line = Annotated[str, Field(max_length=200, pattern=wire.ONE_LINE)]


class CiRun(wire.Answer, record=forges.Run):
    """A run as its service reports it; times are Unix milliseconds."""


class CiRuns(wire.Answer):
    runs: list[CiRun]
    integration: CiIntegration


class CiJob(wire.Answer, record=edits.Job):
    """A requested change of a workflow; times are Unix milliseconds."""

    action: Literal["create", "edit", "delete"]


class CiJobs(wire.Answer):
    jobs: list[CiJob]


class CiEditTarget(wire.Question):
    """`repoFullName` is `owner/repo` or the address of a registered repository."""

    repo_full_name: Annotated[str, Field(min_length=1, max_length=1000)]
    file_path: Annotated[
        str, Field(min_length=1, max_length=400, examples=[".github/workflows/review.yml"])
    ]


class CiEditChanges(wire.Question):
    """`content` is the whole file. Without it, an edit sets inputs (`with`) of the workflow's first
    step that uses an agent's action: `yamlParams` has a line `name: value` for each; the others
    are set under the input names that the step has. `name`, `schedule` and `githubEvents` need
    `content`.
    """

    content: Annotated[str, Field(max_length=forges.CONTENT_MAX)] | None = None
    name: _Line = ""
    yaml_params: Annotated[str, Field(max_length=4000)] = ""
    custom_prompt: Annotated[str, Field(max_length=20_000)] = ""
    schedule: _Line = ""
    github_events: Annotated[list[_Line], Field(max_length=10)] = Field(default_factory=list)
    custom_ci_model: Annotated[_Line, Field(alias="customCIModel")] = ""
    custom_ci_reasoning_effort: Annotated[_Line, Field(alias="customCIReasoningEffort")] = ""

    def inputs(self) -> step_inputs.StepInputs:
        """Those of the agent's step. Raises BadRequest."""
        inputs = step_inputs.StepInputs(
            step_inputs.parse(self.yaml_params),
            self.custom_prompt,
            self.custom_ci_model,
            self.custom_ci_reasoning_effort,
        )
        if self.name or self.schedule or self.github_events or not inputs:
            raise _content_required(
                "Without changes.content an edit sets inputs of the agent's step alone: "
                "yamlParams, customPrompt, customCIModel, customCIReasoningEffort. For any other "
                "change send the whole file as changes.content."
            )
        return inputs


class CiEdit(wire.Question):
    action: Literal["create", "edit", "delete"]
    repos: Annotated[list[CiEditTarget], Field(min_length=1, max_length=edits.REPOS_MAX)]
    automation_name: _Line | None = None
    changes: CiEditChanges | None = None
    factory_automation_id: _Line | None = None
    mode_id: _Line | None = None

    def content(self) -> str | step_inputs.StepInputs:
        """The new text of the file, empty for a deletion, or inputs to set. Raises BadRequest."""
        if self.action == "delete":
            return ""
        if self.changes is not None and self.changes.content is not None:
            return self.changes.content
        if self.action == "edit" and self.changes is not None:
            return self.changes.inputs()
        raise _content_required(
            "changes.content is required: the whole text of the workflow file to create."
            if self.action == "create"
            else "changes are required to edit: the whole file as content, or inputs of its agent."
        )


def _content_required(detail: str) -> BadRequest:
    return BadRequest(detail, code="content_required")


class CiEditSession(wire.Answer, record=edits.Outcome):
    """The result for one repository: the address of its pull request, or an error."""


class CiEditSessions(wire.Answer):
    sessions: list[CiEditSession]


@routes.get("/runs")
async def list_ci_runs(services: Opened, caller: callers.Member) -> CiRuns:
    """List recent runs of CI, newest first, of repositories with a credential.

    Their services are called at most once a minute; a service that does not answer has no runs.
    """
    listed = await blocking.few(
        services.asking,
        services.recent.runs,
        services.db,
        services.settings,
        services.vault,
        caller.org_id,
    )
    return CiRuns.of(
        runs=listed.runs,
        integration=CiIntegration(connected=listed.is_connected),
    )


@routes.get("/jobs")
@blocking.reads
def list_ci_jobs(db: Db, caller: callers.Member) -> CiJobs:
    """List the newest requested changes of workflows, last changed first."""
    jobs = edits.jobs(db, caller.org_id)
    return CiJobs.of(jobs=jobs)


@routes.post("/edit")
async def edit_ci_workflows(
    services: Opened, body: CiEdit, caller: callers.Manager
) -> CiEditSessions:
    """Open a pull request that creates, edits or deletes a workflow file in each repository.

    The repository's stored credential is used, at GitHub and GitLab. A repeated request finds
    the open pull request. A file is created from `changes.content`; an edit replaces
    the text, or sets inputs of the agent's step.
    """
    verb = {"create": "Add", "edit": "Change", "delete": "Delete"}[body.action]
    files = [edits.WorkflowFile(repo.repo_full_name, repo.file_path) for repo in body.repos]
    name = body.automation_name or files[0].file_path.rpartition("/")[2]
    outcomes = await blocking.few(
        services.asking,
        edits.Editor(services.db, services.settings, services.vault).propose,
        caller,
        edits.Edit(body.action, files, body.content(), f"{verb} the workflow {name}"),
    )
    return CiEditSessions.of(sessions=outcomes)
