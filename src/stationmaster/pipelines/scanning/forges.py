"""What is requested of a hosting service for its CI: recent runs, and changes of workflow files as
pull requests, without a checkout.

A change has a branch named after what it does, so asking for it again finds the branch and the pull
request that are there. Runs are kept for a minute: clients ask again and again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import threading
import time
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import msgspec

from stationmaster import days
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.pipelines.scanning import model, step_inputs
from stationmaster.repos import service as repos
from stationmaster.repos.web import Forge, WebAnswer, connect
from stationmaster.settings import Settings

Action = Literal["create", "edit", "delete"]
Record = dict[str, Any]
CONTENT_MAX = 256 * 1024
"""Characters of a workflow file."""
RUNS_MAX = 30
"""Of one repository."""
_WORD_MAX = 300
TTL_S = 60.0
SECONDS = 15.0
"""For all repositories of a request together; those that are not reached have no runs."""
REPOS_MAX = 20
_NEWEST_MAX = 100
_ORGS_MAX = 1_000


class Refused(Exception):
    """A service did not do what was requested; the text gives the reason, for a person."""


class FileChange(NamedTuple):
    """What becomes of one file: its whole new text, or inputs for its agent's step. A deletion has
    neither.
    """

    action: Action
    path: str
    content: str | step_inputs.StepInputs
    title: str

    @property
    def branch(self) -> str:
        """The same for the same change, and no other."""
        new = self.content if isinstance(self.content, str) else repr(self.content)
        parts = "\0".join((self.action, self.path, new))
        mark = hashlib.blake2b(parts.encode(), digest_size=6).hexdigest()
        return f"stationmaster/ci-{self.action}-{mark}"


class Run(msgspec.Struct, frozen=True, rename="camel"):
    """A run of a workflow, as its service reports it. Times are Unix milliseconds."""

    id: str
    repo_full_name: str
    workflow_name: str | None
    file_path: str | None
    status: str | None
    conclusion: str | None
    url: str | None
    event: str | None
    head_branch: str | None
    head_sha: str | None
    display_title: str | None
    created_at: int | None
    started_at: int | None
    updated_at: int | None


def propose(forge: Forge, change: FileChange) -> str:
    """The address of the pull request for a change, new or the one that is open. Raises Refused."""
    about = _record(forge.web.get(forge.repo), "read the repository")
    base = str(about.get("default_branch") or "main")
    if forge.provider == "gitlab":
        return _propose_to_gitlab(forge, change, base)
    return _propose_to_github(forge, change, base)


def _propose_to_github(forge: Forge, change: FileChange, base: str) -> str:
    web, repo, branch = forge.web, forge.repo, change.branch
    owner = str(repo.split("/")[2])
    pulls = f"{repo}/pulls?state=open&head={owner}:{quote(branch, '')}&base={quote(base, '')}"
    if (address := _first(web.get(pulls), "html_url")) is not None:
        return address
    contents = f"{repo}/contents/{quote(change.path)}"
    file = _existing(change, web.get(f"{contents}?ref={quote(base, '')}"))
    new = _new_text(change, file)
    head = _record(web.get(f"{repo}/branches/{quote(base, '')}"), "read the default branch")
    commit = head.get("commit")
    start = commit.get("sha") if isinstance(commit, dict) else None
    made = web.send("POST", f"{repo}/git/refs", {"ref": f"refs/heads/{branch}", "sha": start})
    if made.status == 201 or not _is_done_on_github(forge, change, contents, new):
        body: Record = {"message": change.title, "branch": branch}
        if file is not None:
            body["sha"] = str(file.get("sha"))
        if change.action == "delete":
            _record(web.send("DELETE", contents, body), "delete the file")
        else:
            body["content"] = base64.b64encode(new.encode()).decode()
            _record(web.send("PUT", contents, body), "write the file")
    request = {"title": change.title, "head": branch, "base": base, "body": _body(change)}
    answer = web.send("POST", f"{repo}/pulls", request)
    page = _first(web.get(pulls), "html_url") if answer.status == 422 else None
    return page or _address(_record(answer, "open the pull request"), "html_url")


def _is_done_on_github(forge: Forge, change: FileChange, contents: str, new: str) -> bool:
    """Does the branch, which an earlier attempt made, hold the change already?"""
    status, value = forge.web.get(f"{contents}?ref={quote(change.branch, '')}")
    if change.action == "delete":
        return status == 404
    text = str(value.get("content", "")) if isinstance(value, dict) else ""
    return status == 200 and text.replace("\n", "") == (base64.b64encode(new.encode()).decode())


def _propose_to_gitlab(forge: Forge, change: FileChange, base: str) -> str:
    web, repo, branch = forge.web, forge.repo, change.branch
    requests = f"{repo}/merge_requests?state=opened&source_branch={quote(branch, '')}"
    if (address := _first(web.get(requests), "web_url")) is not None:
        return address
    file = f"{repo}/repository/files/{quote(change.path, '')}?ref={quote(base, '')}"
    new = _new_text(change, _existing(change, web.get(file)))
    if web.get(f"{repo}/repository/branches/{quote(branch, '')}").status != 200:
        # Branch and commit are made by one request, so a branch that is there holds the change.
        action: Record = {
            "action": "update" if change.action == "edit" else change.action,
            "file_path": change.path,
        }
        if change.action != "delete":
            action["content"] = new
        commit = {
            "branch": branch,
            "start_branch": base,
            "commit_message": change.title,
            "actions": [action],
        }
        _record(web.send("POST", f"{repo}/repository/commits", commit), "commit the file")
    request = {
        "title": change.title,
        "source_branch": branch,
        "target_branch": base,
        "description": _body(change),
    }
    answer = web.send("POST", f"{repo}/merge_requests", request)
    page = _first(web.get(requests), "web_url") if answer.status == 409 else None
    return page or _address(_record(answer, "open the merge request"), "web_url")


def runs(forge: Forge, full_name: str) -> list[Run]:
    """The newest runs of a repository's CI, none where the service does not report them."""
    if forge.provider == "gitlab":
        listed = forge.web.get(f"{forge.repo}/pipelines?per_page={RUNS_MAX}").value
    else:
        body = forge.web.get(f"{forge.repo}/actions/runs?per_page={RUNS_MAX}").value
        listed = body.get("workflow_runs") if isinstance(body, dict) else None
    records = (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )
    of_forge = _gitlab_run if forge.provider == "gitlab" else _github_run
    return [of_forge(record, full_name) for record in records[:RUNS_MAX] if record.get("id")]


_CONCLUSIONS = {
    "success": "success",
    "failed": "failure",
    "canceled": "cancelled",
    "skipped": "skipped",
}
_WAITING = {"running": "in_progress"}
_GITHUB = {"url": "html_url", "event": "event", "branch": "head_branch", "sha": "head_sha"}
_GITLAB = {"url": "web_url", "event": "source", "branch": "ref", "sha": "sha"}
"""What services call members of a run."""


def _github_run(run: Record, full_name: str) -> Run:
    path = (_word(run, "path") or "").partition("@")[0] or None
    status, conclusion = _word(run, "status"), _word(run, "conclusion")
    return _run(run, full_name, _GITHUB, path, status, conclusion)


def _gitlab_run(run: Record, full_name: str) -> Run:
    state = _word(run, "status") or ""
    conclusion = _CONCLUSIONS.get(state)
    status = "completed" if conclusion else _WAITING.get(state, "queued")
    return _run(run, full_name, _GITLAB, ".gitlab-ci.yml", status, conclusion)


def _run(
    run: Record,
    full_name: str,
    names: Mapping[str, str],
    path: str | None,
    status: str | None,
    conclusion: str | None,
) -> Run:
    return Run(
        id=str(run["id"]),
        repo_full_name=full_name,
        workflow_name=_word(run, "name"),
        file_path=path,
        status=status,
        conclusion=conclusion,
        url=_web_address(run, names["url"]),
        event=_word(run, names["event"]),
        head_branch=_word(run, names["branch"]),
        head_sha=_word(run, names["sha"]),
        display_title=_word(run, "display_title"),
        created_at=_moment(run, "created_at"),
        started_at=_moment(run, "run_started_at") or _moment(run, "started_at"),
        updated_at=_moment(run, "updated_at"),
    )


def _existing(change: FileChange, answer: WebAnswer) -> Record | None:
    """The file on the default branch, None for one to create. Raises Refused where it is there and
    must not be, or the other way round.
    """
    if answer.status == 404:
        if change.action == "create":
            return None
        raise Refused(f"The default branch has no file {change.path}.")
    file = _record(answer, "read the file")
    if change.action == "create":
        raise Refused(f"The default branch has a file {change.path} already; edit it instead.")
    return file


def _new_text(change: FileChange, file: Record | None) -> str:
    """The whole new text of the file. Raises Refused."""
    if isinstance(change.content, str):
        return change.content
    try:
        text = base64.b64decode(str((file or {}).get("content"))).decode()
    except (binascii.Error, UnicodeDecodeError) as wrong:
        raise Refused(f"The service did not send {change.path} as text.") from wrong
    if len(text) > CONTENT_MAX:
        raise Refused(f"{change.path} has more than {CONTENT_MAX} characters.")
    try:
        return step_inputs.with_inputs(text, change.content)
    except step_inputs.NotEditable as reason:
        raise Refused(str(reason)) from reason


def _record(answer: WebAnswer, attempt: str) -> Record:
    """The object that a service answers with success. Raises Refused with its own reason."""
    if 200 <= answer.status < 300 and isinstance(answer.value, dict):
        return answer.value
    if answer.status == 0:
        raise Refused(f"The service did not answer in time, or not at all, to {attempt}.")
    message = _word(answer.value, "message") if isinstance(answer.value, dict) else None
    reason = f": {message}" if message else ""
    hint = " The credential may not do it." if answer.status in (401, 403, 404) else ""
    raise Refused(f"The service refused to {attempt} ({answer.status}){reason}.{hint}")


def _first(answer: WebAnswer, member: str) -> str | None:
    entries = answer.value if answer.status == 200 and isinstance(answer.value, list) else []
    return _web_address(entries[0], member) if entries and isinstance(entries[0], dict) else None


def _address(record: Record, member: str) -> str:
    address = _web_address(record, member)
    if address is None:
        raise Refused("The service answered without the address of the pull request.")
    return address


def _web_address(record: Mapping[str, Any], member: str) -> str | None:
    """An address that a person may follow; a service may send anything."""
    word = _word(record, member, 2_000)
    return word if word is not None and word.startswith(("https://", "http://")) else None


def _word(record: Mapping[str, Any], member: str, length_max: int = _WORD_MAX) -> str | None:
    value = record.get(member)
    if not isinstance(value, str):
        return None
    line = "".join(filter(str.isprintable, " ".join(value.split())))
    return line[:length_max] or None


def _moment(record: Record, member: str) -> int | None:
    value = record.get(member)
    return days.iso_ms(value) if isinstance(value, str) else None


def _body(change: FileChange) -> str:
    verb = {"create": "Adds", "edit": "Changes", "delete": "Deletes"}[change.action]
    return f"{verb} `{change.path}`. Asked for through Stationmaster."


class Runs(NamedTuple):
    """The newest first; `is_connected`: a credential for a repository is stored."""

    runs: list[Run]
    is_connected: bool


class Recent:
    """The runs of each organization; one per process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[OrgId, tuple[float, Runs]] = {}

    def runs(self, db: Database, settings: Settings, vault: Vault, org: OrgId) -> Runs:
        """The newest runs of an organization; asked for again after TTL_S seconds."""
        with self._guard:
            until, kept = self._kept.get(org, (0.0, Runs([], False)))
        if time.monotonic() < until:
            return kept
        answer = _ask(db, settings, vault, org)
        if not answer.is_connected:
            return answer
        with self._guard:
            if len(self._kept) >= _ORGS_MAX:
                self._kept.clear()
            self._kept[org] = (time.monotonic() + TTL_S, answer)
        return answer


def _ask(db: Database, settings: Settings, vault: Vault, org: OrgId) -> Runs:
    until = time.monotonic() + SECONDS
    connected = [repository for repository in repos.list_page(db, org) if repository.has_credential]
    newest: list[Run] = []
    for one in connected[:REPOS_MAX]:
        credential = repos.credential(db, vault, org, one.repo_id)
        left = until - time.monotonic()
        if credential is None or left <= 0:
            continue
        forge = connect(settings, one.url, credential, seconds=left, questions_max=4)
        if forge is not None:
            newest += runs(forge, model.full_name(one.url))
    newest.sort(key=lambda run: (run.created_at or 0, run.id), reverse=True)
    return Runs(newest[:_NEWEST_MAX], bool(connected))
