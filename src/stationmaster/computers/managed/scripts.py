"""The scripts of the steps, for `sh` on the machine.

Each may run twice, and may be cut anywhere: it looks first, and what it makes appears whole. Values
are quoted, secrets are passed by standard input alone, and what a script starts gets no input.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256

from stationmaster import __version__
from stationmaster.computers.managed.shell import text

_FOLDER = '"$HOME/.stationmaster"'
CLONED = "cloned to "
"""The prefix of a clone's folder in the log."""


def set_up_user(user: str) -> str:
    return _whole(text("account", user=shlex.quote(user)), as_account(user, try_home()))


def try_home() -> str:
    return text("try-home", folder=_FOLDER)


def as_account(user: str, body: str) -> str:
    """A script that an account runs, where its caller may become that account."""
    whole = _whole(body)
    marker = sha256(whole.encode()).hexdigest()
    account = shlex.quote(user)
    return (
        f"if [ \"$(id -un)\" = {account} ]; then exec sh -s <<'{marker}'\n{whole}\n{marker}\n"
        f"else exec su -l -s /bin/sh {account} -c 'exec sh -s' <<'{marker}'\n{whole}\n{marker}\n"
        "fi\n"
    )


def configure(secrets: Mapping[str, str], git: Sequence[str], environment: str) -> str:
    """Store secrets as an environment, and credentials for git. `environment` is the same as JSON,
    for the agent's own SSH server."""
    lines = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in secrets.items())
    files = {
        "environment": lines,
        "environment.json": environment,
        "git-credentials": "".join(f"{line}\n" for line in git),
    }
    body = ["umask 077", f"mkdir -p {_FOLDER}", f"cd {_FOLDER}"]
    body += [f"{_file(name, content)}" for name, content in files.items()]
    body.append(
        "if command -v git >/dev/null; then git config --global --replace-all credential.helper "
        """"store --file='$HOME/.stationmaster/git-credentials'" 'store.*stationmaster'; fi"""
    )
    return "\n".join(body) + "\n"


def install_agent(agent: str | None, wheel: str) -> str:
    return text(
        "agent",
        wanted=shlex.quote(f"stationmaster {__version__}"),
        agent=agent or agent_program(),
        is_fixed=int(agent is not None),
        folder=_FOLDER,
        wheel=shlex.quote(wheel),
    )


def agent_program() -> str:
    return f"{_FOLDER}/agent/bin/stationmaster"


def start_services(agent: str | None, registration: str) -> str:
    """`registration` is the content of `computer.json`."""
    start = text("start", folder=_FOLDER, agent=agent or agent_program())
    return f"umask 077\ncd {_FOLDER}\n{_file('computer.json.new', registration)}\n{start}"


def stop_services() -> str:
    return text("stop", folder=_FOLDER)


def clone(repos: Mapping[str, str]) -> str:
    """`repos` are folders by address."""
    calls = [f"clone {shlex.quote(u)} {shlex.quote(name)}\n" for u, name in repos.items()]
    return text("clone", cloned=CLONED) + "".join(calls)


def install_dependencies(folders: Sequence[str]) -> str:
    calls = "".join(f"install {shlex.quote(folder)}\n" for folder in folders)
    return f'{text("dependencies")}{calls}[ "$failed" = 0 ]\n'


def _file(name: str, content: str) -> str:
    """Lines that write a file of the current folder, as a whole."""
    marker = f"END_{sha256(content.encode()).hexdigest()}"
    ended = content if content.endswith("\n") or not content else f"{content}\n"
    return f"cat > {name}.draft <<'{marker}'\n{ended}{marker}\nmv {name}.draft {name}"


def _whole(*parts: str) -> str:
    """A script that is read to its end before any of it runs."""
    body = "\n".join(parts)
    return f"main() {{\nset -eu\n{body}\n}}\nmain </dev/null\n"
