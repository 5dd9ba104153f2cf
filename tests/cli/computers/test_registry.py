"""`computers`: this machine registers, is listed, shown and removed, at a server or on a folder."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.access.authenticate import authenticate
from stationmaster.client import computer
from stationmaster.computers import model
from stationmaster.computers.model import SetupStep
from tests.computers.rows import a_managed_computer
from tests.support.cast import Cast
from tests.support.commands import Done, command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port
from tests.support.servers import Server, running_server, settings_for

OWN_NAME = model.derived(socket.gethostname())
COMPUTERS = "/api/v0/computers"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running_server(settings_for(tmp_path, "sqlite")) as running:
        yield running


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, "acme")


@pytest.fixture
def ada(server: Server, cast: Cast) -> list[str]:
    """The options with which a member reaches the server."""
    return ["--url", server.url, "--key", str(cast.keys["member"])]


@pytest.fixture
def file() -> Path:
    """Where this machine remembers that it is registered."""
    return Path(os.environ["STATIONMASTER_CLIENT_DIR"]) / "computer.json"


def computers(*arguments: object) -> Done:
    return command("computers", *arguments)


def on_another_machine(file: Path) -> None:
    """As if the disk had been copied: what the file says was true on the first one."""
    known = json.loads(file.read_bytes())
    known["machine_hash"] = "f" * 64
    file.write_text(json.dumps(known))


class TestRegister:
    def test_makes_this_machine_a_computer_named_after_its_host(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        made = succeed("computers", "register", "--yes", "--user", "dev", *ada)

        with server.client(cast.keys["member"]) as client:
            assert client.get(f"{COMPUTERS}/name/{OWN_NAME}").json() == made
        known = json.loads(file.read_bytes())
        assert made["hostname"] == socket.gethostname()
        assert (made["remoteUser"], made["hostId"]) == ("dev", known["host_id"])
        assert known["registration"]["computer_id"] == made["id"]

    def test_keeps_the_credential_in_a_file_of_its_owner_and_prints_it_nowhere(
        self, ada: list[str], file: Path
    ) -> None:
        done = computers("register", "build", "--yes", "--json", *ada)

        credential = json.loads(file.read_bytes())["registration"]["credential"]
        assert credential.startswith("smc_")
        assert credential not in done.stdout.decode() + done.stderr
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700

    def test_sends_no_id_of_the_system(
        self, server: Server, ada: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        machine_id = tmp_path / "machine-id"
        machine_id.write_text("c0ffee\n")
        monkeypatch.setattr(computer, "MACHINE_ID_FILES", (machine_id,))

        succeed("computers", "register", "--yes", *ada)

        [(hash_,)] = server.services.db.rows("SELECT machine_hash FROM computers")
        assert len(hash_) == 64
        assert "c0ffee" not in hash_

    def test_happens_once(self, ada: list[str]) -> None:
        made = succeed("computers", "register", "build", "--yes", *ada)

        again = computers("register", "other", "--yes", *ada)

        assert f"this machine is computer build ({made['id']}) already" in again.error

    def test_gives_a_taken_host_name_a_number_and_says_so(
        self, server: Server, cast: Cast, ada: list[str]
    ) -> None:
        with server.client(cast.keys["member"]) as client:
            for name in (OWN_NAME, model.numbered(OWN_NAME, 2)):
                client.post(COMPUTERS, json={"name": name, "remoteUser": "dev"})

        done = computers("register", "--yes", "--json", *ada)

        third = model.numbered(OWN_NAME, 3)
        assert done.json["name"] == third
        assert f"a computer named {OWN_NAME} already; this one is {third}" in done.stderr

    def test_takes_no_other_name_than_a_person_gave(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        with server.client(cast.keys["member"]) as client:
            client.post(COMPUTERS, json={"name": "build", "remoteUser": "dev"})

        assert computers("register", "build", "--yes", *ada).error == (
            "There is a computer named build already."
        )
        assert json.loads(file.read_bytes())["registration"] is None
        assert succeed("computers", "register", "bench", "--yes", *ada)["name"] == "bench"

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [(["Build"], "lower-case"), (["build", "--user", "-x"], "remoteUser is the name")],
    )
    def test_refuses_words_that_do_not_fit_before_anything_is_kept(
        self, ada: list[str], file: Path, arguments: list[str], told: str
    ) -> None:
        assert told in computers("register", "--yes", *ada, *arguments).error
        assert not file.exists()

    def test_asks_first_and_says_what_to_do_where_nobody_is(
        self, ada: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with open(os.devnull) as nobody:
            monkeypatch.setattr("sys.stdin", nobody)
            assert "add --yes" in computers("register", *ada).error
        assert not file.exists()

    @pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"y\n", 0)])
    def test_does_what_a_person_answers(
        self,
        ada: list[str],
        file: Path,
        monkeypatch: pytest.MonkeyPatch,
        answer: bytes,
        code: int,
    ) -> None:
        keyboard, screen = os.openpty()
        os.write(keyboard, answer)
        with open(screen) as terminal:
            monkeypatch.setattr("sys.stdin", terminal)
            done = computers("register", "build", *ada)
        os.close(keyboard)

        assert (done.code, file.exists()) == (code, code == 0)
        assert "Register this machine as build at http://" in done.stderr

    def test_can_be_repeated_where_no_server_answered(
        self, server: Server, ada: list[str], file: Path
    ) -> None:
        nowhere = f"http://127.0.0.1:{free_port()}"
        failed = computers("register", "--yes", "--url", nowhere, "--key", "sm_x")
        host = json.loads(file.read_bytes())["host_id"]

        made = succeed("computers", "register", "--yes", *ada)

        assert nowhere in failed.error
        assert made["hostId"] == host

    def test_after_a_lost_answer_says_which_computer_to_remove(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        made = succeed("computers", "register", "build", "--yes", *ada)
        known = json.loads(file.read_bytes())
        file.write_text(json.dumps({**known, "registration": None}))

        refused = computers("register", "build", "--yes", *ada)

        assert f"registered already, as {made['id']}; remove that first" in refused.error
        succeed("computers", "remove", made["id"], "--yes", *ada)
        assert succeed("computers", "register", "build", "--yes", *ada)["id"] != made["id"]

    def test_of_a_copied_disk_leads_to_a_computer_of_its_own(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        first = succeed("computers", "register", "first", "--yes", *ada)
        on_another_machine(file)

        refused = computers("register", "second", "--yes", *ada)
        left = succeed("computers", "remove", *ada)
        second = succeed("computers", "register", "second", "--yes", *ada)

        assert "this disk was copied from the machine that is computer first" in refused.error
        assert left == {"id": None}
        assert second["hostId"] != first["hostId"]
        with server.client(cast.keys["member"]) as client:
            assert client.get(f"{COMPUTERS}/{first['id']}").status_code == 200


class TestListAndShow:
    def test_list_marks_this_machine(self, server: Server, cast: Cast, ada: list[str]) -> None:
        with server.client(cast.keys["member"]) as client:
            client.post(COMPUTERS, json={"name": "other", "remoteUser": "dev"})
        succeed("computers", "register", "mine", "--yes", *ada)

        table = computers("list", *ada).stdout.decode().splitlines()

        marked = {line.split()[1] for line in table if line.startswith("*")}
        assert table[0].split() == ["name", "status", "host", "user", "provider"]
        assert marked == {"mine"}
        assert any(line.split()[0] == "other" for line in table[1:])
        listed = succeed("computers", "list", *ada)["computers"]
        assert {each["name"] for each in listed} == {"mine", "other"}

    def test_show_finds_by_name_and_by_id(self, ada: list[str]) -> None:
        made = succeed("computers", "register", "build", "--yes", *ada)

        assert succeed("computers", "show", "build", *ada) == made
        assert succeed("computers", "show", made["id"], *ada) == made
        assert made["relayClientUrl"] in computers("show", "build", *ada).stdout.decode()

    @pytest.mark.parametrize("name", ["nothing", "Build", "cmp_x", "../../healthz", ""])
    def test_show_of_what_is_not_there_is_an_error(self, ada: list[str], name: str) -> None:
        assert computers("show", name, *ada).code == 1

    def test_show_tells_each_step_of_a_computer_that_is_being_made(
        self, cast: Cast, ada: list[str]
    ) -> None:
        member = authenticate(cast.db, str(cast.keys["member"]))
        step = SetupStep("setup-user", "Setting up user", "failed", error="No such shell.")
        a_managed_computer(cast.db, member, provisioning_steps=(step,))

        shown = computers("show", "cloud", *ada).stdout.decode()

        assert "Setting up user" in shown
        assert "No such shell." in shown


class TestRemove:
    def test_ends_it_at_the_server_and_here(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        made = succeed("computers", "register", "build", "--yes", *ada)

        assert succeed("computers", "remove", "--yes", *ada) == {"id": made["id"]}

        assert not file.exists()
        with server.client(cast.keys["member"]) as client:
            assert client.get(f"{COMPUTERS}/{made['id']}").status_code == 404
        assert "not registered" in computers("remove", "--yes", *ada).error

    def test_by_name_ends_another_computer_and_leaves_this_one(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        with server.client(cast.keys["member"]) as client:
            client.post(COMPUTERS, json={"name": "other", "remoteUser": "dev"})
        succeed("computers", "register", "mine", "--yes", *ada)

        succeed("computers", "remove", "other", "--yes", *ada)

        assert file.exists()
        listed = succeed("computers", "list", *ada)["computers"]
        assert [each["name"] for each in listed] == ["mine"]

    def test_by_name_of_this_machine_is_the_same_as_without(
        self, ada: list[str], file: Path
    ) -> None:
        succeed("computers", "register", "mine", "--yes", *ada)

        succeed("computers", "remove", "mine", "--yes", *ada)

        assert not file.exists()

    def test_finishes_here_what_was_removed_elsewhere(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        made = succeed("computers", "register", "build", "--yes", *ada)
        with server.client(cast.keys["member"]) as client:
            client.delete(f"{COMPUTERS}/{made['id']}")

        succeed("computers", "remove", "--yes", *ada)

        assert not file.exists()

    def test_keeps_all_here_when_no_server_answers_and_says_how_to_finish(
        self, ada: list[str], file: Path
    ) -> None:
        succeed("computers", "register", "build", "--yes", *ada)
        before = file.read_bytes()

        away = f"http://127.0.0.1:{free_port()}"
        failed = computers("remove", "--yes", "--url", away, "--key", "sm_x")

        assert "nothing was removed: repeat this when the server answers" in failed.error
        assert file.read_bytes() == before

    def test_with_somebody_elses_key_says_whose_it_takes(
        self, server: Server, cast: Cast, ada: list[str], file: Path
    ) -> None:
        succeed("computers", "register", "build", "--yes", *ada)

        failed = computers(
            "remove", "--yes", "--url", server.url, "--key", str(cast.keys["manager"])
        )

        assert "use a key of the person who registered" in failed.error
        assert f"delete {file}" in failed.error
        assert file.exists()

    def test_asks_first(self, ada: list[str], file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        succeed("computers", "register", "build", "--yes", *ada)

        with open(os.devnull) as nobody:
            monkeypatch.setattr("sys.stdin", nobody)
            assert "add --yes" in computers("remove", *ada).error
        assert file.exists()


def test_on_a_data_folder_the_first_owner_is_who_registers(made: dict[str, str]) -> None:
    data = ["--data-dir", made["data"]]

    found: dict[str, Any] = succeed("computers", "register", "build", "--yes", *data)

    assert (found["ownerPrincipalKind"], found["ownerId"]) == ("human", made["user_id"])
    assert succeed("computers", "show", "build", *data) == found
    assert succeed("computers", "remove", "--yes", *data) == {"id": found["id"]}


def test_a_server_that_is_none_of_ours_is_an_error_in_one_line(server: Server) -> None:
    assert httpx.get(f"{server.url}/nothing", timeout=PATIENCE_S).status_code == 404

    done = computers("list", "--url", f"{server.url}/nothing", "--key", "sm_x")

    assert done.error == (
        "There is no page or operation at this address. --url takes the address of the server "
        "alone, without a path such as /api/v1."
    )
