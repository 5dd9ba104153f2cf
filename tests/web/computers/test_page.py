"""The pages of computers: who sees which, what their forms do, and their secrets."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stationmaster.access import audit, reads
from stationmaster.access.audit import Target
from stationmaster.access.model import Caller, Role
from stationmaster.api.services import Services
from stationmaster.computers import presence, service
from stationmaster.computers.managed import metrics, service as managed, store
from stationmaster.computers.managed.model import NewComputer
from stationmaster.computers.managed.providers.namespace import Here
from stationmaster.computers.managed.templates import TemplateOffer
from stationmaster.computers.model import Registration, SetupStep
from stationmaster.relay_messages import Hello, Sample
from tests.computers.rows import a_computer, a_managed_computer
from tests.support.builders import a_caller, a_key, a_member, a_service_account, an_organization
from tests.web.conftest import Office

HOSTILE = "<img src=x onerror=alert(1)>"


def caller_of(office: Office, email: str) -> Caller:
    db = office.server.services.db
    [member] = [m for m in reads.list_members(db, office.org) if m.email == email]
    return a_caller(db, office.org, member)


@pytest.mark.parametrize(("role", "status"), [("manager", 200), ("member", 200), ("guest", 403)])
def test_members_see_computers_and_managers_secrets(
    office: Office, role: Role, status: int
) -> None:
    with office.visitor(office.person(role)) as visitor:
        listed = visitor.get("/computers")
        secrets = visitor.get("/computers/secrets")
        set_one = visitor.post("/computers/secrets", data={"name": "TOKEN", "value": "x"})

    assert listed.status_code == status
    assert secrets.status_code == (200 if role == "manager" else 403)
    assert set_one.status_code == (303 if role == "manager" else 403)


def test_everyone_sees_the_computers_that_the_api_answers(office: Office) -> None:
    db = office.server.services.db
    member, manager = office.person("member"), office.person("manager")
    own = a_computer(db, caller_of(office, member), "desk", hostname=HOSTILE)
    program = a_caller(db, office.org, a_service_account(db, office.org, HOSTILE))
    built = a_computer(db, program, "builder")

    for email, visible in ((member, {own.computer_id}), (manager, {built.computer_id})):
        [known] = [m for m in reads.list_members(db, office.org) if m.email == email]
        with office.server.client(a_key(db, office.org, known)) as client:
            told = client.get("/api/v0/computers").json()["computers"]
        with office.visitor(email) as visitor:
            page = visitor.get("/computers").text
            pages = {
                each.computer_id: visitor.get(f"/computers/{each.computer_id}")
                for each in (own, built)
            }
        assert {each["id"] for each in told} == visible
        for computer_id, answer in pages.items():
            assert answer.status_code == (200 if computer_id in visible else 404)
            assert (f'href="/computers/{computer_id}"' in page) == (computer_id in visible)
            assert "<img src=x" not in answer.text + page


def test_a_computer_has_its_steps_and_history(office: Office, owner: str) -> None:
    db = office.server.services.db
    steps = (
        SetupStep("clone", HOSTILE, "completed", None, 1, 2),
        SetupStep("deps", "Install", "failed", f"{HOSTILE} ended with 1", 2, 3),
    )
    made = a_managed_computer(
        db, caller_of(office, owner), status="error", provisioning_steps=steps
    )
    org = caller_of(office, owner).org_id
    store.write_log(db, org, made.computer_id, "deps", f"installing {HOSTILE}\n")
    mine = a_computer(db, caller_of(office, owner), "desk")
    with office.visitor(owner) as visitor:
        managed = visitor.get(f"/computers/{made.computer_id}").text
        desk = visitor.get(f"/computers/{mine.computer_id}").text

    assert "&lt;img src=x onerror=alert(1)&gt; ended with 1" in managed
    assert "installing &lt;img src=x" in managed
    assert f'action="/computers/{made.computer_id}/retry"' in managed
    assert "<img src=x" not in managed
    assert ">registered</td>" in desk
    assert f'data-column="By">{owner}</td>' in desk


def test_a_computer_is_renamed_and_removed(office: Office, owner: str) -> None:
    db = office.server.services.db
    caller = caller_of(office, owner)
    made = a_computer(db, caller, "desk")
    a_computer(db, caller, "taken")
    path = f"/computers/{made.computer_id}"
    with office.visitor(owner) as visitor:
        wrong = visitor.post(path, data={"name": "No Name", "remote_user": "dev"})
        taken = visitor.post(path, data={"name": "taken", "remote_user": "dev"})
        user = visitor.post(path, data={"name": "desk", "remote_user": "-x"})
        renamed = visitor.post(path, data={"name": "table", "remote_user": "ada"})
        found = service.get(db, caller, made.computer_id)
        asked = visitor.get(f"{path}/remove")
        removed = visitor.post(f"{path}/remove")
        gone = visitor.get(path)

    assert [wrong.status_code, taken.status_code, user.status_code] == [400, 409, 400]
    assert 'value="No Name"' in wrong.text
    assert 'id="name-error"' in taken.text
    assert 'id="remote_user-error"' in user.text
    assert (renamed.status_code, found.name, found.remote_user) == (303, "table", "ada")
    assert "Its credential ends immediately" in asked.text
    assert (removed.status_code, gone.status_code) == (303, 404)


def test_a_secret_is_set_listed_and_deleted_and_its_value_never_shown(
    office: Office, owner: str
) -> None:
    with office.visitor(owner) as visitor:
        wrong = visitor.post("/computers/secrets", data={"name": "no name", "value": "s3cret"})
        empty = visitor.post("/computers/secrets", data={"name": "TOKEN", "value": ""})
        visitor.post("/computers/secrets", data={"name": "TOKEN", "value": "s3cret"})
        listed = visitor.get("/computers/secrets").text
        asked = visitor.get("/computers/secrets/TOKEN/remove")
        unknown = visitor.get("/computers/secrets/OTHER/remove")
        visitor.post("/computers/secrets/TOKEN/remove")
        after = visitor.get("/computers/secrets").text

    assert (wrong.status_code, empty.status_code) == (400, 400)
    assert 'id="name-error"' in wrong.text
    assert 'id="value-error"' in empty.text
    assert "s3cret" not in wrong.text + listed
    assert ("TOKEN" in listed, "TOKEN" in after) == (True, False)
    assert (asked.status_code, unknown.status_code) == (200, 404)


def test_a_computer_of_another_organization_is_none(office: Office, owner: str) -> None:
    db = office.server.services.db
    elsewhere = an_organization(db, "Initech")
    eve = a_caller(db, elsewhere, a_member(db, elsewhere, "eve@example.com", "owner"))
    made = a_computer(db, eve, "desk")
    with office.visitor(owner) as visitor:
        answers = [
            visitor.get(f"/computers/{made.computer_id}"),
            visitor.post(f"/computers/{made.computer_id}/remove"),
        ]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert service.get(db, eve, made.computer_id).name == "desk"


def test_pages_say_whether_a_computer_is_connected(office: Office, owner: str) -> None:
    db = office.server.services.db
    caller = caller_of(office, owner)
    new = Registration(name="desk", remote_user="dev", host_id="h")
    made, _ = service.register(db, caller, new)
    where = f"/computers/{made.computer_id}"
    hello = Hello(
        agent_version="1", host_id="h", hostname="h", remote_user="dev", ssh_host_keys=("a",)
    )
    pages = []
    with office.visitor(owner) as visitor:
        pages.append(visitor.get(where).text)
        presence.came(db, office.org, made.computer_id, hello, "00000000")
        pages.append(visitor.get(where).text)
        listed = visitor.get("/computers").text
        presence.left(db, office.org, made.computer_id, "00000000")
        other = msgspec.structs.replace(hello, ssh_host_keys=("b",))
        presence.came(db, office.org, made.computer_id, other, "00000001")
        presence.left(db, office.org, made.computer_id, "00000001")
        pages.append(visitor.get(where).text)

    assert "computers serve" in pages[0]
    assert "computers ssh desk" in pages[1]
    assert '<td data-column="Connected">yes</td>' in listed
    assert "computers trust desk" in pages[2]
    assert "computers ssh desk" not in pages[2]


def test_a_machine_is_paired_on_a_page(office: Office) -> None:
    about = {
        "name": "desk",
        "remoteUser": "dev",
        "hostId": "00000000-0000-4000-8000-000000000007",
        "hostname": HOSTILE,
    }
    with office.server.client() as machine:
        asked = machine.post("/api/platform/v1/pairings", json=about).json()
    with office.visitor(office.person("member")) as visitor:
        wrong = visitor.post("/computers/pair", data={"code": "BBBB-BBBB"})
        seen = visitor.post("/computers/pair", data={"code": asked["code"]})
        form = {"code": asked["code"], "name": "desk"}
        refused = visitor.post("/computers/pair/approve", data=form | {"name": "No Name"})
        approved = visitor.post("/computers/pair/approve", data=form)
        page = visitor.get(approved.headers["location"]).text

    assert (wrong.status_code, "No machine shows this code" in wrong.text) == (404, True)
    assert "&lt;img src=x" in seen.text
    assert refused.status_code == 400
    assert approved.status_code == 303
    assert "<h1>desk</h1>" in page


def test_remote_access_is_switched_on_the_page(office: Office) -> None:
    with office.visitor(office.person("member")) as visitor:
        before = visitor.get("/computers").text
        visitor.post("/computers/access", data={"of": "me", "to": "off"})
        off = visitor.get("/computers").text
        refused = visitor.post("/computers/access", data={"of": "organization", "to": "off"})
        visitor.post("/computers/access", data={"of": "me", "to": "on"})

    assert "On: who may see" in before
    assert "Off for you." in off
    assert refused.status_code == 403


def test_a_managed_computer_shows_how_busy_it_was_and_who_connected(
    office: Office, owner: str, tmp_path: Path
) -> None:
    db = office.server.services.db
    caller = caller_of(office, owner)
    offer = TemplateOffer(templates={"default": Here(folder=tmp_path)})
    [made] = managed.create(db, offer, caller, ["busy"], NewComputer())
    sample = Sample(
        cpu_used_pct=25, cpu_count=4, mem_used=1, mem_total=2, disk_used=3, disk_total=4
    )
    metrics.add(db, {(caller.org_id, made.computer_id): sample})
    with db.transaction() as connection:
        for payload in (
            {"port": 22, "purpose": "ssh", "bytes_in": 5, "bytes_out": 7, "seconds": 1.5},
            {"port": 80, "purpose": "forward", "refused": "port_not_allowed"},
        ):
            audit.record(
                connection,
                caller.org_id,
                "computer_connection",
                by=caller,
                target=Target("computer", made.computer_id),
                payload=payload,
            )
    with office.visitor(owner) as visitor:
        shown = visitor.get(f"/computers/{made.computer_id}").text
        busy = visitor.get(f"/computers/{made.computer_id}", params={"csv": "load"}).text
        streams = visitor.get(f"/computers/{made.computer_id}", params={"csv": "connections"}).text

    assert "In use, of all that there is" in shown
    assert busy.splitlines()[0].startswith("Five minutes from,processors,memory,disk")
    assert busy.splitlines()[1].endswith(",0.25,0.5,0.75")
    assert "refused: port not allowed" in shown
    assert "1.5 s, 5 bytes to it, 7 from it" in shown
    assert [line.split(",")[2:] for line in streams.splitlines()[1:]] == [
        ["80", "", "", "", "port_not_allowed"], ["22", "1.5", "5", "7", ""],
    ]  # fmt: skip


def test_a_computer_is_made_from_a_template_with_its_repositories(
    office: Office, owner: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    form = {"name": "fresh", "template": "small", "repos": "https://git.example.com/a/b\n"}
    with office.visitor(owner) as visitor:
        nothing = visitor.get("/computers/new").text
        here = Here(folder=tmp_path)
        offer = TemplateOffer(templates={"small": here, "default": here})
        monkeypatch.setattr(Services, "offer", offer, raising=False)
        shown = visitor.get("/computers/new").text
        wrong = visitor.post("/computers/new", data=form | {"name": HOSTILE})
        made = visitor.post("/computers/new", data=form)
        page = visitor.get(made.headers["location"]).text

    assert "No templates" in nothing
    assert '<option value="small">' in shown
    assert (wrong.status_code, "https://git.example.com/a/b" in wrong.text) == (400, True)
    assert "<img src=x" not in wrong.text
    assert made.status_code == 303
    assert "Cloning repositories" in page
