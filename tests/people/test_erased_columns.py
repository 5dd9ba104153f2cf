"""What an erasure does to every column that can hold text: none is without a decision."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, LargeBinary, Text, insert, select

from stationmaster.db.engine import Database
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.ids import OrgId
from stationmaster.people import erasing
from stationmaster.people.erasure import Subject

NAMED = """
agent_sessions.agent_session_id agent_sessions.branch agent_sessions.models
agent_sessions.repository agent_sessions.team agent_sessions.tools agent_sessions.user_email
alert_attempts.error alert_destinations.created_by alert_destinations.name
alert_destinations.recipients alert_destinations.shown_address alerts.body alerts.data alerts.title
api_keys.name audit_log.actor_email audit_log.actor_id audit_log.payload audit_log.target_id
budget_requests.decided_by
ci_edits.error ci_edits.file_path ci_edits.pr_url ci_edits.repo_full_name
ci_findings.comment ci_findings.dismissed_by ci_findings.finding ci_findings.workflow_path
ci_scans.error ci_scans.workflows
computer_events.actor_id computer_sessions.started_by remote_access_off.changed_by
computers.cloned_repo_directories computers.hostname computers.name
computers.provisioning_steps computers.remote_user computers.source
jobs.error jobs.requested_by jobs.step jobs.subject
members.email members.team one_time_links.made_by one_time_links.made_with organizations.name
repositories.created_by repositories.default_branch repositories.fetch_error repositories.url
readiness_reports.repo_url repository_credentials.username
senders.email service_accounts.name active_users.team
user_aliases.person_email user_evidence.person_email
wiki_pages.path wiki_pages.title wiki_runs.branch wiki_runs.created_by wiki_runs.repo_url
"""
"""Text in which an id or an address of the person is replaced, wherever it stands."""

OWNED = """
active_users.user_id agent_sessions.user_id alerts.person_id api_keys.principal_id
computers.owner_id credit_limits.principal_id
budgets.scope_id budget_holds.subject budget_requests.principal_id budget_requests.subject
budget_use.subject gate_reports.principal_id
members.user_id one_time_links.user_id passwords.user_id senders.user_id sessions.user_id
user_aliases.person_id user_aliases.user_id user_documents.user_id user_evidence.person_id
user_evidence.user_id session_tickets.principal_id remote_access_off.principal_id
"""
"""Ids of people: the row is deleted, with its other columns."""

OWN_STEP = {
    "day_slices.body": "counted again, or renamed on closed days",
    "day_so_far.body": "deleted",
    "day_facts.body": "counted again, or without the person's branches on closed days",
    "report_documents.body": "counted again, or renamed on closed days",
    "report_documents.digest": "counted again, or renamed on closed days",
    "user_documents.body": "counted again, or renamed on closed days",
    "user_documents.digest": "counted again, or renamed on closed days",
    "session_days.session_id": "counted again, or hashed on closed days",
    "source_comparisons.worst": "counted again, or hashed on closed days",
    "wiki_runs.source_session_id": "emptied in runs of the person",
    "outgoing_mail.sealed": "opened, and deleted where it names the person",
    "erasures.subject": "deleted when the erasure is done",
    "inbox.tally": "moved to the lake before, or deleted with requests that do not decode",
    "inbox.payload": "moved to the lake before, or deleted with requests that do not decode",
    "senders.machine": "deleted with the person's row",
    "agent_sessions.machine": "deleted with the person's row",
    "agent_session_models.session_id": "deleted with the person's sessions",
    "computer_presence.host_keys": "deleted with the person's computers",
    "computer_presence.new_host_keys": "deleted with the person's computers",
    "computer_pairings.code_hash": "gone after ten minutes",
    "computer_pairings.credential_hash": "gone after ten minutes",
    "computer_pairings.registration": "gone after ten minutes",
    "computer_step_logs.content": "deleted with the person's computers",
    "managed_computers.account": "emptied; the row ends with the machine",
    "managed_computers.repos": "emptied; the row ends with the machine",
    "computers.host_id": "deleted with the person's computers",
    "computers.machine_hash": "deleted with the person's computers",
    "budget_requests.reason": "deleted with the person's row",
    "passwords.hash": "deleted with the person's row",
}
"""Columns with a step of their own, which test_erasing.py checks byte by byte."""

FROM_REPOSITORIES = """
alert_destinations.sealed_address alert_destinations.sealed_previous
alert_destinations.sealed_secret
ci_edits.branch computer_secrets.name computer_secrets.sealed readiness_reports.body
repository_credentials.sealed wiki_assets.path wiki_bodies.content wiki_runs.details
wiki_runs.page_tree
"""
"""Made from files of a repository, or secrets of the organization: not erased, as docs/people.md
says."""

NOBODY = """
active_users.products agent_session_models.model agent_sessions.agent agent_sessions.amount
agent_sessions.client agent_sessions.session_id agent_sessions.sources
alert_attempts.attempt_id alert_attempts.delivery_id alert_deliveries.alert_id
alert_deliveries.audience alert_deliveries.delivery_id alert_deliveries.destination_id
alert_deliveries.event alert_deliveries.state alert_destinations.destination_id
alert_destinations.format alert_destinations.kinds alert_destinations.reason
alert_destinations.state alerts.alert_id alerts.digest alerts.kind
api_keys.hint api_keys.key_id api_keys.made_with api_keys.principal_kind
api_keys.role api_keys.scope api_keys.secret_hash
audit_log.actor_kind audit_log.actor_role audit_log.audit_id audit_log.event_type audit_log.source
audit_log.target_kind buckets.bucket
budget_holds.budget_id budget_holds.hold_id budget_holds.owner budget_holds.period_start
budget_holds.request_id budget_requests.asked budget_requests.budget_id budget_requests.granted
budget_requests.request_id budget_requests.state budget_use.budget_id budget_use.period_start
budget_use.reported budget_use.spent budget_use.tails_most budgets.amount budgets.at_end
budgets.budget_id budgets.currency budgets.ends_on budgets.models budgets.period
budgets.scope_kind budgets.starts_on budgets.when_unreachable gate_reports.agent
ci_edits.action ci_edits.repo_id ci_edits.status ci_findings.commit_hash ci_findings.fingerprint
ci_findings.provider ci_findings.reason ci_findings.repo_id ci_findings.severity ci_findings.state
ci_scans.commit_hash ci_scans.repo_id
ci_scans.status computer_events.cause computer_events.computer_id computer_events.event_id
computer_events.from_status computer_events.to_status computer_presence.agent_version
computer_presence.computer_id computer_presence.process computer_presence.agents
computer_sessions.agent computer_sessions.computer_id computer_sessions.reason
computer_sessions.session_id computer_sessions.state session_tickets.session_id
session_tickets.ticket_hash
computer_metrics.computer_id computer_step_logs.computer_id computer_step_logs.step_id
managed_computers.agent managed_computers.computer_id managed_computers.failure
managed_computers.power managed_computers.reference managed_computers.template
computers.computer_id
computers.credential_hash computers.owner_kind computers.provider computers.status
day_prices.digest day_prices.models day_quality.product
price_lists.body price_lists.digest price_lists.origin price_reviews.digest
erased_marks.mark erasure_keys.key erasures.erasure_id erasures.job_id
erasures.reports inbox.batch_id intake_counts.outcome intake_counts.product intake_counts.source
jobs.job_id jobs.kind jobs.state lake_horizons.closed_through lake_parts.fault lake_parts.name
lake_parts.sha256 latest_readiness_reports.repo_id latest_readiness_reports.report_id members.role
moved_batches.batch_id one_time_links.link_hash one_time_links.purpose organization_privacy.mode
organization_privacy.seed organization_time_zones.name outgoing_mail.mail_id quarantine.item
quarantine.reason
readiness_reports.digest readiness_reports.repo_id readiness_reports.report_id
readiness_reports.scores report_documents.report repositories.head_commit repositories.provider
repositories.repo_id repository_credentials.kind repository_credentials.repo_id
identity_providers.allowed_domains identity_providers.client_id identity_providers.issuer
identity_providers.name identity_providers.sealed
gateway_providers.failover gateway_providers.kind gateway_providers.name gateway_providers.sealed
gateway_providers.url
schema_use.oldest schema_use.refusal senders.product senders.source senders.version
service_accounts.role service_accounts.service_account_id sessions.family_hash sessions.method
sessions.previous_hash sessions.secret_hash sessions.session_id signing_keys.kid
signing_keys.public signing_keys.sealed source_comparisons.figure source_comparisons.product
source_comparisons.source user_evidence.kind wiki_assets.digest wiki_assets.media_type
wiki_assets.run_id wiki_bodies.digest wiki_pages.digest wiki_pages.page_id wiki_pages.run_id
wiki_runs.agent_version wiki_runs.commit_hash wiki_runs.job_id wiki_runs.model_id
wiki_runs.privacy_level wiki_runs.reasoning_effort wiki_runs.repository_id wiki_runs.run_id
"""
"""Random ids, hashes, words of a fixed list, versions: they cannot hold a person."""

ORG = OrgId("org_1")
EMAIL = "eve.adams@example.com"
SUBJECT = Subject(["user_eve"], [EMAIL], "user_random", "k")
_IN_A_TEXT = f"first line\n{EMAIL}, second line"


def names(text: str) -> list[str]:
    return text.split()


def test_every_column_that_can_hold_text_has_one_decision() -> None:
    decided = [*names(NAMED), *names(OWNED), *OWN_STEP, *names(FROM_REPOSITORIES), *names(NOBODY)]
    columns = {
        f"{table.name}.{column.name}"
        for collection in (metadata, inbox_metadata)
        for table in collection.sorted_tables
        for column in table.columns
        if isinstance(column.type, Text | LargeBinary)
        and column.name not in ("org_id", "day", "first_day")
    }
    assert sorted(decided) == sorted(columns)


def test_no_column_keeps_the_person(db: Database) -> None:
    columns = [column_of(name) for name in (*names(NAMED), *names(OWNED))]
    owners = {column_of(name) for name in names(OWNED)}
    with db.transaction() as connection:
        for number, column in enumerate(columns):
            row = {other.name: filler(other, number) for other in column.table.columns}
            value = SUBJECT.users[0] if column in owners else _IN_A_TEXT
            connection.execute(
                insert(column.table).values(row | {"org_id": ORG, column.name: value})
            )

    erasing.scrub(db, ORG, SUBJECT)

    kept = {}
    with db.reading() as connection:
        for number, column in enumerate(columns):
            left = connection.execute(select(column)).scalars().all()
            erased = [] if column in owners else [_IN_A_TEXT.replace(EMAIL, "erased person")]
            others = [filler(column, n) for n in range(len(columns)) if n != number]
            if [value for value in left if value not in others] != erased:
                kept[str(column)] = left
    assert kept == {}


def column_of(name: str) -> Column[Any]:
    table, _, column = name.partition(".")
    return metadata.tables[table].columns[column]


def filler(column: Column[Any], number: int) -> Any:
    """A value that no row of another number has, so that rows of one table stand beside each
    other."""
    if isinstance(column.type, Text):
        return f"x{number}"
    if isinstance(column.type, LargeBinary):
        return b"x%d" % number
    return column.type.python_type(number)
