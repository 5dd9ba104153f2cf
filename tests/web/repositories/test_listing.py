"""The pages of repositories: who sees them, what they show, what their forms do."""

from __future__ import annotations

import csv
import io
import re

import msgspec
import pytest

from stationmaster import clock
from stationmaster.access import reads
from stationmaster.access.model import Caller, Role
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.pipelines.model import Finding
from stationmaster.readiness import service as readiness
from stationmaster.readiness.catalogue import CORE
from stationmaster.readiness.model import Content
from stationmaster.repos import service as repos
from tests.support.builders import a_caller, a_key, a_readiness_report, an_organization
from tests.support.scans import a_finding, store_scan
from tests.web.conftest import Office
from tests.web.worked import work

URL = "https://github.com/acme/shop"
HOSTILE = "<script>alert('x')</script>"


def caller_of(office: Office, email: str) -> Caller:
    db = office.server.services.db
    [member] = [m for m in reads.list_members(db, office.org) if m.email == email]
    return a_caller(db, office.org, member)


def registered(office: Office, owner: str, url: str = URL) -> RepoId:
    services = office.server.services
    known, _ = repos.register(services.db, services.vault, caller_of(office, owner), url)
    return known.repo_id


def evaluated(office: Office, owner: str, **members: object) -> str:
    """The id of an uploaded readiness report on the repository."""
    content = msgspec.convert(a_readiness_report(**members), Content)
    body, _ = readiness.upload(office.server.services.db, caller_of(office, owner), content, None)
    return str(msgspec.json.decode(body)["reportId"])


def scanned(office: Office, repo: RepoId, *findings: Finding, commit: str = "c" * 40) -> None:
    store_scan(office.server.services.db, office.org, repo, *findings, commit=commit, name=HOSTILE)


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("manager", 200), ("member", 200), ("guest", 403)]
)
def test_members_see_repositories_and_managers_change_them(
    office: Office, owner: str, role: Role, status: int
) -> None:
    repo = registered(office, owner)
    person = owner if role == "owner" else office.person(role)
    may_change = role in ("owner", "manager")
    with office.visitor(person) as visitor:
        listed = visitor.get("/repositories")
        read = visitor.get(f"/repositories/{repo}/readiness")
        settings = visitor.get(f"/repositories/{repo}/settings")
        refreshed = visitor.post(f"/repositories/{repo}/refresh")
        made = visitor.post("/repositories", data={"url": "https://github.com/acme/web"})

    assert [listed.status_code, read.status_code] == [status, status]
    assert ("Register a repository" in listed.text) == may_change
    assert settings.status_code == (200 if may_change else 403)
    assert [refreshed.status_code, made.status_code] == ([303, 303] if may_change else [403, 403])


def test_a_repository_of_another_organization_is_none(office: Office, owner: str) -> None:
    other = Office(office.server, an_organization(office.server.services.db, "Initech"))
    stranger = other.person("owner", "eve@example.com")
    repo = registered(office, owner)
    with other.visitor(stranger) as visitor:
        answers = [
            visitor.get(f"/repositories/{repo}/readiness"),
            visitor.get(f"/repositories/{repo}/ci"),
            visitor.post(f"/repositories/{repo}/refresh"),
            visitor.post(f"/repositories/{repo}/remove"),
        ]

    assert [answer.status_code for answer in answers] == [404] * 4
    assert len(repos.list_page(office.server.services.db, office.org)) == 1


def test_figures_are_those_of_the_api(office: Office, owner: str) -> None:
    services = office.server.services
    repo = registered(office, owner)
    report = evaluated(office, owner, repoUrl=URL)
    scanned(office, repo, a_finding("one"), a_finding("two", severity="critical"))
    [member] = [m for m in reads.list_members(services.db, office.org) if m.email == owner]
    key = a_key(services.db, office.org, member)
    with office.server.client() as http:
        score = http.get(
            f"/api/platform/v1/readiness/reports/{report}/level",
            headers={"Authorization": f"Bearer {key}"},
        ).json()
    with office.visitor(owner) as visitor:
        table = visitor.get("/repositories").text
        page = visitor.get(f"/repositories/{repo}/readiness").text

    assert f"Level {score['level']}" in table
    assert f"<b>{score['level']}</b><small>{score['levelName']}: " in page
    assert f"{score['evaluated']} of {len(CORE)} evaluated" in page
    assert re.search(r"1 critical</span>,\s*<span[^>]*>1 high", table)


def test_findings_of_a_state_are_shown_the_worst_first(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    scanned(
        office,
        repo,
        a_finding("minor", severity="low"),
        a_finding("worst", severity="critical"),
        a_finding("accepted", suppressed="zizmor", suppressed_line=6),
    )
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/repositories/{repo}/ci").text
        severe = visitor.get(f"/repositories/{repo}/ci?severity=high").text
        accepted = visitor.get(f"/repositories/{repo}/ci?state=suppressed").text

    assert page.index("Worst is wrong") < page.index("Minor is wrong")
    assert "Accepted is wrong" not in page
    assert "Minor is wrong" not in severe
    assert "Accepted is wrong" in accepted
    assert (
        f"/repositories/{repo}/files?commit={'c' * 40}&amp;path=.github%2Fworkflows%2Fci.yml"
        in page
    )


def test_a_finding_is_dismissed_with_a_reason_and_opened_again(office: Office, owner: str) -> None:
    repo, member = registered(office, owner), office.person("member")
    scanned(office, repo, a_finding("one"))
    given = {"reason": "accepted_risk", "comment": f"Known. {HOSTILE}"}
    ci = f"/repositories/{repo}/ci"
    with office.visitor(member) as visitor:
        refused = visitor.post(f"{ci}/f-one/dismiss", data=given)
    with office.visitor(owner) as visitor:
        unknown = visitor.post(f"{ci}/f-one/dismiss", data={"reason": "because"})
        dismissed = visitor.post(f"{ci}/f-one/dismiss", data=given)
        scanned(office, repo, a_finding("one", line=9), commit="d" * 40)
        left = visitor.get(ci).text
        shown = visitor.get(f"{ci}?state=dismissed").text
        visitor.post(f"{ci}/f-one/reopen")
        opened = visitor.get(ci).text
        scanned(office, repo, commit="e" * 40)
        fixed = visitor.get(f"{ci}?state=fixed").text

    assert [refused.status_code, unknown.status_code, dismissed.status_code] == [403, 400, 303]
    assert "No open findings" in left
    assert f"Dismissed by {owner}" in shown
    assert "Known. &lt;script&gt;" in shown
    assert "One is wrong" in opened
    assert "One is wrong" in fixed


def test_many_findings_and_workflows_are_shown_page_by_page(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    scanned(office, repo, *(a_finding(f"rule-{n}", line=n + 1) for n in range(120)))
    with office.visitor(owner) as visitor:
        visitor.follow_redirects = True
        first = visitor.get(f"/repositories/{repo}/ci").text
        [link] = re.findall(r'href="\?([^"]+)">Next page', first)
        second = visitor.get(f"/repositories/{repo}/ci?{link.replace('&amp;', '&')}").text

    assert first.count("is wrong</strong>") == second.count("is wrong</strong>") == 50
    assert "rule-0 is wrong" not in second


def test_what_a_repository_says_is_text(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    evaluated(office, owner, repoUrl=URL, branch=HOSTILE, report={
        "readme": {"numerator": 0, "denominator": 1, "rationale": HOSTILE},
        HOSTILE: {"numerator": 0, "denominator": 1, "rationale": HOSTILE},
    })  # fmt: skip
    scanned(office, repo, a_finding("x", evidence=HOSTILE, job=HOSTILE, path=f"{HOSTILE}.yml"))
    with office.visitor(owner) as visitor:
        pages = [visitor.get(f"/repositories/{repo}/{tab}") for tab in ("readiness", "ci")]
        found = visitor.get("/repositories", params={"search": HOSTILE})

    for page in (*pages, found):
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;alert" in page.text


def test_the_table_is_sorted_by_links_and_paged(office: Office, owner: str) -> None:
    repo = registered(office, owner, "https://github.com/acme/zoo")
    scanned(office, repo, a_finding("one", severity="critical"))
    for number in range(60):
        registered(office, owner, f"https://github.com/acme/app-{number:02}")
    with office.visitor(owner) as visitor:
        plain = visitor.get("/repositories").text
        worst = visitor.get("/repositories?sort=-findings").text
        second = visitor.get("/repositories?sort=-findings&page=2").text
        table = visitor.get("/repositories?csv=repositories").text
        none = visitor.get("/repositories?sort=nonsense&page=x&search=%00").status_code

    assert "acme/zoo" not in plain
    assert worst.index("acme/zoo") < worst.index("acme/app-")
    assert 'aria-sort="descending"' in worst
    assert "61 repositories" in worst
    assert "acme/zoo" not in second
    assert len(table.splitlines()) == 62
    assert none == 200


def test_what_agents_cost_is_for_those_whom_the_api_answers(office: Office, owner: str) -> None:
    work(office)
    registered(office, owner, "https://example.com/Acme/App")
    with office.visitor(owner) as visitor:
        listed = visitor.get("/repositories").text
        [row] = csv.DictReader(io.StringIO(visitor.get("/repositories?csv=repositories").text))
        spend = csv.DictReader(io.StringIO(visitor.get("/spend?csv=by-repository").text))
    with office.visitor(office.person("member")) as visitor:
        hidden = visitor.get("/repositories").text
        table = visitor.get("/repositories?csv=repositories").text

    [same] = [each for each in spend if each["Repository"] == "example.com/acme/app"]
    assert (row["Dollars"], row["Sessions"]) == (same["Dollars"], same["Sessions"])
    assert 'data-column="Dollars"' in listed
    assert "Dollars" not in hidden + table


def test_the_trend_compares_with_the_level_thirty_days_ago(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    everything = {name: {"numerator": 1, "denominator": 1, "rationale": "x"} for name in CORE}
    evaluated(office, owner, repoUrl=URL)
    with office.visitor(owner) as visitor:
        alone = visitor.get("/repositories").text
        evaluated(office, owner, repoUrl=URL, report=everything)
        risen = visitor.get("/repositories").text

    assert repo
    assert "up from level" not in alone
    assert "up from level 1" in risen


def test_a_criterion_of_one_state_is_found_by_its_address(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    evaluated(office, owner, repoUrl=URL, report={
        "readme": {"numerator": 1, "denominator": 1, "rationale": "There is one."},
        "license": {"numerator": 0, "denominator": 1, "rationale": "There is none."},
    })  # fmt: skip
    with office.visitor(owner) as visitor:
        failing = visitor.get(f"/repositories/{repo}/readiness?state=fail").text

    assert "There is none." in failing
    assert "There is one." not in failing


def test_any_two_reports_are_compared_and_their_course_is_drawn(office: Office, owner: str) -> None:
    repo = registered(office, owner)
    passes = {"numerator": 1, "denominator": 1, "rationale": "x"}
    fails = passes | {"numerator": 0}
    first = evaluated(office, owner, repoUrl=URL, report={"readme": fails, "license": passes})
    evaluated(office, owner, repoUrl=URL, report={"readme": fails, "license": fails})
    last = evaluated(office, owner, repoUrl=URL, report={"readme": passes, "license": fails})
    foreign = evaluated(office, owner, repoUrl="https://github.com/acme/other")
    with office.visitor(owner) as visitor:
        path = f"/repositories/{repo}/readiness"
        page = visitor.get(path).text
        whole = visitor.get(path, params={"report": last, "since": first}).text
        refused = visitor.get(path, params={"report": last, "since": foreign})
        table = visitor.get(f"{path}?csv=readiness").text

    assert "Worse" not in page[page.index("What changed") : page.index("<h2>Criteria</h2>")]
    assert whole.count("0/1 → 1/1") == whole.count("1/1 → 0/1") == 1
    assert refused.status_code == 404
    assert 'class="plot"' in page
    assert table.splitlines() == ["Day,Criteria", f"{clock.today()},0.5"]


def test_the_forms_register_refresh_and_remove(office: Office, owner: str) -> None:
    services = office.server.services
    with office.visitor(owner) as visitor:
        made = visitor.post(
            "/repositories",
            data={"url": "git@git.example:acme/shop.git", "secret": "a-token"},
        )
        [known] = repos.list_page(services.db, office.org)
        refreshed = visitor.post(f"/repositories/{known.repo_id}/refresh")
        waiting = visitor.get(refreshed.headers["location"])
        visitor.post(f"/repositories/{known.repo_id}/credential", data={"secret": ""})
        asked = visitor.get(f"/repositories/{known.repo_id}/remove")
        removed = visitor.post(f"/repositories/{known.repo_id}/remove")

    assert made.headers["location"] == f"/repositories/{known.repo_id}/readiness"
    assert known.has_credential
    [job] = jobs.list_page(services.db, office.org, kind="fetch", limit=5)
    assert job.subject == known.repo_id
    assert re.search("being fetched now|A fetch is queued", waiting.text) or job.finished_at
    assert "a-token" not in waiting.text
    assert "Remove git.example/acme/shop?" in asked.text
    assert removed.headers["location"] == "/repositories"
    assert repos.list_page(services.db, office.org) == []


def test_a_wrong_address_is_explained_and_kept_in_the_form(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        refused = visitor.post("/repositories", data={"url": "not an address"})

    assert refused.status_code == 400
    assert 'role="alert"' in refused.text
    assert 'value="not an address"' in refused.text
