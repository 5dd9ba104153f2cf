"""What providers call their events, in the words of one of them all."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.pipelines.model import EventKind

_GITHUB: dict[EventKind, str] = {
    "push": "push create",
    "pull_request": "pull_request",
    "pull_request_target": "pull_request_target",
    "release": "release registry_package",
    "schedule": "schedule",
    "manual": "workflow_dispatch",
    "comment": "issue_comment discussion_comment commit_comment pull_request_comment"
    " pull_request_review pull_request_review_comment",
    "issue": "issues discussion",
    "merge_queue": "merge_group",
    "workflow_chain": "workflow_run",
    "reusable_call": "workflow_call",
    "external": "repository_dispatch check_run check_suite status fork watch gollum",
    "deployment": "deployment deployment_status",
}
"""Events of GitHub Actions, and of the services that took its language over."""

_OTHERS: dict[EventKind, str] = {
    "push": "push pushes branch branches commit repo:push vcs scm githubpush pollscm",
    "pull_request": "pull_request pull-request pullrequest pull-requests pull_requests pr"
    " merge_request merge_requests merge_request_event external_pull_request external_pull_requests"
    " external_pull_request_event pull_request_closed pull_request_metadata patch"
    " change_request",
    "tag": "tag tags",
    "release": "release",
    "schedule": "schedule schedules scheduled cron timer periodic time",
    "manual": "manual web custom webide input",
    "api": "api trigger triggers",
    "comment": "comment chat note",
    "issue": "issue issues",
    "merge_queue": "merge_queue merge_train gate",
    "workflow_chain": "pipeline pipelines parent_pipeline upstream workflow promotion promote"
    " cross_project",
    "external": "webhook external webhooks",
    "deployment": "deployment deploy",
}
"""The words of all other providers; none of them means two things in two of them."""


def _by_word(words: Mapping[EventKind, str]) -> dict[str, EventKind]:
    return {word: kind for kind, some in words.items() for word in some.split()}


_KINDS = _by_word(_OTHERS)
_KINDS_GITHUB = _by_word(_GITHUB)


def kind(event: str) -> EventKind:
    """The common word for an event of any provider but GitHub's; `other` for unknown ones."""
    return _KINDS.get(event.lower(), "other")


def kind_github(event: str, *, tags_only: bool = False) -> EventKind:
    """The common word for an event of GitHub Actions; `tag` for a push that takes tags alone."""
    if event == "push" and tags_only:
        return "tag"
    return _KINDS_GITHUB.get(event, "other")
