"""What each step of setting a computer up does, how it is known to be done, and what it prints: its
end, without secrets, stored while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from stationmaster import __version__
from stationmaster.access import store as access_store
from stationmaster.access.model import hash_of, new_key
from stationmaster.access.vault import Vault
from stationmaster.client.computer import Machine as AgentMachine, Registration
from stationmaster.computers import presence, secrets, service, store as computers_store
from stationmaster.computers.managed import model, scripts, store
from stationmaster.computers.managed.providers.base import Doing, Machine, Provider, ProviderError
from stationmaster.computers.model import Computer, directory_of, user_of
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, UserId
from stationmaster.repos import addresses, service as repos
from stationmaster.repos.model import Credential, provider_of
from stationmaster.settings import Settings

KEPT = 64 * 1024
"""Characters of a step's log."""
LINE_MAX = 2000
MASK = "***"
MASKED_MIN = 4
"""A shorter line of a secret is a word of everyday."""
_PENDING_MAX = 256 * 1024
_STORE_S = 0.5


class Masker:
    """Takes secrets out of text. One of several lines is masked line by line."""

    def __init__(self, secrets: Collection[str]) -> None:
        lines = {line.strip() for secret in secrets for line in secret.splitlines()}
        kept = [line for line in lines if len(line) >= MASKED_MIN]
        self._lines = sorted(kept, key=len, reverse=True)

    def hide(self, secret: str) -> None:
        """Mask another one from now on."""
        self._lines.insert(0, secret)

    def masked(self, text: str) -> str:
        for line in self._lines:
            text = text.replace(line, MASK)
        return text


class StepLog:
    """The log of one step. `write` takes output as it arrives, `store` puts it where it is read."""

    def __init__(
        self, db: Database, org: OrgId, computer_id: str, step_id: str, masker: Masker
    ) -> None:
        self._db = db
        self._key = (org, computer_id, step_id)
        self._masker = masker
        self.hide, self.masked = masker.hide, masker.masked
        self._pending = b""
        self._text = ""
        self._is_new = True
        self._store_at = 0.0

    def write(self, chunk: bytes) -> None:
        """A line is masked whole: one that is too long to wait for loses its end."""
        *lines, rest = (self._pending + chunk).split(b"\n")
        self._pending = rest[:_PENDING_MAX]
        for line in lines:
            self._add(line)

    def add_line(self, line: str) -> None:
        self._add(line.encode())

    def store(self, *, now: bool = False) -> None:
        """Store what is new, not more often than twice a second unless `now`."""
        if now and self._pending:
            self._add(self._pending)
            self._pending = b""
        if self._is_new and (now or time.monotonic() >= self._store_at):
            self._store_at = time.monotonic() + _STORE_S
            self._is_new = False
            store.write_log(self._db, *self._key, self._text)

    @property
    def lines(self) -> list[str]:
        return self._text.splitlines()

    def _add(self, line: bytes) -> None:
        text = line.decode(errors="replace").replace("\0", "").rstrip("\r")
        shown = self._masker.masked(text)
        shown = shown if len(shown) <= LINE_MAX else f"{shown[:LINE_MAX]}…"
        self._text = f"{self._text}{shown}\n"
        if len(self._text) > KEPT:
            self._text = self._text[-KEPT:].partition("\n")[2]
        self._is_new = True


_POLL_S = 0.25


class StepFailed(ProviderError):
    """A step's script did not do what it should."""

    code = "step_failed"


class StepContext(NamedTuple):
    """What every step works with."""

    db: Database
    settings: Settings
    vault: Vault
    provider: Provider


class Job:
    """The steps of one computer, by one worker. `look` raises where the work is not wanted."""

    def __init__(
        self,
        place: StepContext,
        computer: Computer,
        managed: model.Managed,
        look: Callable[[], None],
    ) -> None:
        self._place = place
        self._computer = computer
        self.managed = managed
        self._look = look
        self._key = (managed.org_id, managed.computer_id)
        self.secrets = secrets.values(place.db, place.vault, managed.org_id)
        self.git = self._git_credentials()
        self.provider = place.provider
        self._actions: Mapping[str, Callable[[Doing, StepLog], None]] = {
            model.CREATE.id: self._create,
            model.USER.id: self._set_up_user,
            model.ENVIRONMENT.id: self._configure,
            model.AGENT.id: self._install_agent,
            model.SERVICES.id: self._start_services,
            model.CLONE.id: self._clone,
            model.DEPENDENCIES.id: self._install,
        }

    @property
    def machine(self) -> Machine:
        managed = self.managed
        return Machine(managed.computer_id, managed.reference, managed.account)

    def doing(self, seconds: float, log: StepLog | None = None) -> Doing:
        def look() -> None:
            self._look()
            if log is not None:
                log.store()

        until = time.monotonic() + seconds
        return Doing(until, look, (lambda _: None) if log is None else log.write)

    def log(self, step_id: str, *more: str) -> StepLog:
        """A new log of a step."""
        hidden = [*self.secrets.values(), *(secret for _, secret in self.git), *more]
        return StepLog(self._place.db, *self._key, step_id, Masker(hidden))

    def do(self, kind: model.Kind, log: StepLog, seconds: float) -> None:
        """One try of a step. Raises ProviderError, with a sentence for people."""
        self._actions[kind.id](self.doing(seconds, log), log)

    def _create(self, doing: Doing, log: StepLog) -> None:
        managed = self.managed
        if managed.reference is None or self._state(doing) == "absent":
            log.add_line(f"making a machine of the template {managed.template}")
            made = self.provider.create(self.machine, doing)
            self._keep(
                reference=made.reference, agent=made.agent, account=made.user or managed.account
            )
        if self._state(doing) == "stopped":
            self.provider.start(self.machine, doing)
        self.await_running(doing)

    def await_running(self, doing: Doing) -> None:
        while (state := self._state(doing)) != "running":
            if state == "absent":
                raise StepFailed("The machine no longer exists.")
            self._pause(doing, f"The machine is still {state}.")

    def _set_up_user(self, doing: Doing, log: StepLog) -> None:
        account = user_of(self.managed.account)
        self._run(scripts.set_up_user(account), doing, log)

    def _configure(self, doing: Doing, log: StepLog) -> None:
        values = self.secrets
        environment = msgspec.json.encode(values).decode()
        git = [line for line, _ in self.git]
        log.add_line(f"{len(values)} secrets, {len(git)} credentials of repositories")
        self._as_account(scripts.configure(values, git, environment), doing, log)

    def _install_agent(self, doing: Doing, log: StepLog) -> None:
        wheel = f"{self._server}/install/stationmaster-{__version__}-py3-none-any.whl"
        self._as_account(scripts.install_agent(self.managed.agent, wheel), doing, log)

    def _start_services(self, doing: Doing, log: StepLog) -> None:
        """With a new credential at every start; the agent before, if there was one, is ended."""
        before = presence.of(self._place.db, *self._key)
        since = None if before is None else before.since
        credential = new_key(service.CREDENTIAL_PREFIX)
        log.hide(credential.reveal())
        store.set_credential(self._place.db, *self._key, hash_of(credential.reveal()))
        host_id = self._computer.host_id
        assert host_id is not None
        registration = Registration(
            self._computer.computer_id, self._computer.name, credential.reveal(), self._server
        )
        content = msgspec.json.encode(AgentMachine(host_id, None, registration)).decode()
        self._as_account(scripts.start_services(self.managed.agent, content), doing, log)
        while True:
            shown = presence.of(self._place.db, *self._key)
            if shown is not None and shown.state == "online" and shown.since != since:
                break
            self._pause(doing, f"The agent does not connect to {self._server}.")
        # The machine was just set up, so the host keys that it shows are its own.
        with self._place.db.transaction() as connection:
            computers_store.trust_host_keys(connection, *self._key)
        log.add_line("connected")

    def stop_services(self, doing: Doing) -> None:
        self.provider.run(
            self.machine, scripts.as_account(self.managed.account, scripts.stop_services()), doing
        )

    def _clone(self, doing: Doing, log: StepLog) -> None:
        folder_by_url = {self._fetched_from(url): folder for url, folder in self._folders().items()}
        self._as_account(scripts.clone(folder_by_url), doing, log)
        lines = [line for line in log.lines if line.startswith(scripts.CLONED)]
        cloned = tuple(directory_of(line.removeprefix(scripts.CLONED)) for line in lines)
        with self._place.db.transaction() as connection:
            fields = {"cloned_repo_directories": cloned[-len(folder_by_url) :]}
            computers_store.change(connection, *self._key, fields)

    def _install(self, doing: Doing, log: StepLog) -> None:
        folders = list(self._folders().values())
        self._as_account(scripts.install_dependencies(folders), doing, log)

    def _as_account(self, body: str, doing: Doing, log: StepLog) -> None:
        self._run(scripts.as_account(self.managed.account, body), doing, log)

    def _run(self, script: str, doing: Doing, log: StepLog) -> None:
        status = self.provider.run(self.machine, script, doing)
        log.store(now=True)
        if status:
            last = log.lines[-1] if log.lines else f"status {status}"
            raise StepFailed(last[:400])

    def _state(self, doing: Doing) -> str:
        return self.provider.state(self.machine, doing)

    def _keep(self, **values: str | None) -> None:
        with self._place.db.transaction() as connection:
            store.change(connection, self.managed, **values)
        self.managed = msgspec.structs.replace(self.managed, **values)

    def _pause(self, doing: Doing, why: str) -> None:
        doing.look()
        if not doing.left_s:
            raise StepFailed(why)
        time.sleep(_POLL_S)

    @property
    def _server(self) -> str:
        return self._place.settings.app_address

    def _fetched_from(self, url: str) -> str:
        rest = url.removeprefix("https://")
        plain = rest.partition("/")[0] in self._place.settings.repos_http_host_names
        return f"http://{rest}" if plain else url

    def _folders(self) -> dict[str, str]:
        """Folder below the home by address: the last word, with the one before where it is taken
        already."""
        folders: dict[str, str] = {}
        for url in self.managed.repos:
            words = [word for word in urlsplit(url).path.split("/") if word.strip(".")]
            name = words[-1] if words else "repository"
            if name in folders.values():
                name = "-".join(words[-2:])
            folders[url] = name if name not in folders.values() else f"{name}-{len(folders)}"
        return folders

    def _git_credentials(self) -> list[tuple[str, str]]:
        """Lines of git's credential store, with the secret of each: of those registered
        repositories that this computer clones. People who may not register repositories get none.
        """
        if not _may_have_credentials(self._place.db, self._computer, self.managed.org_id):
            return []
        return [
            (
                _git_line(self._fetched_from(url), credential.login(provider_of(url))),
                credential.secret.reveal(),
            )
            for url, credential in self._registered()
        ]

    def _registered(self) -> Iterator[tuple[str, Credential]]:
        place, org = self._place, self.managed.org_id
        for url in self.managed.repos:
            credential = repos.credential(place.db, place.vault, org, addresses.id_of(org, url))
            if credential is not None:
                yield url, credential


def credential_counts(
    place: StepContext, computer: Computer, managed: model.Managed
) -> tuple[int, int]:
    """For how many repositories a computer has credentials, and how many secrets it has."""
    job = Job(place, computer, managed, lambda: None)
    return len(job.git), len(job.secrets)


def _may_have_credentials(db: Database, computer: Computer, org: OrgId) -> bool:
    """Those who register repositories, and programs, which they alone make."""
    if computer.owner_kind == "service":
        return True
    with db.reading() as connection:
        owner = access_store.member(connection, org, UserId(computer.owner_id))
    return owner is not None and owner.role in ("owner", "manager")


def _git_line(url: str, login: tuple[str, str]) -> str:
    scheme, _, rest = url.partition("://")
    user, secret = (quote(word, safe="") for word in login)
    return f"{scheme}://{user}:{secret}@{rest}"
