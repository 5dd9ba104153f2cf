"""The scripts of the steps, for `sh` on the machine.

Each may run twice, and may be cut anywhere: it looks first, and what it makes appears whole. Values
are quoted, secrets come by standard input alone, and what a script starts gets no input.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256

from stationmaster import __version__

_FOLDER = '"$HOME/.stationmaster"'
CLONED = "cloned to "
"""What comes before a clone's folder in the log."""

_ACCOUNT = """\
if ! id -u {user} >/dev/null 2>&1; then
  if [ "$(id -u)" != 0 ]; then echo "this machine has no account {user}"; exit 1; fi
  shell=$(command -v bash || echo /bin/sh)
  if command -v useradd >/dev/null; then useradd --create-home --shell "$shell" {user}
  else adduser -D -s "$shell" {user}; fi
fi
"""
_TRY_HOME = """\
umask 077
mkdir -p {folder}
echo try > {folder}/.try
rm {folder}/.try
"""
_AGENT = """\
wanted={wanted}
is_wanted() {{ [ "$({agent} --version 2>/dev/null)" = "$wanted" ]; }}
if is_wanted; then echo "$wanted is there"; exit 0; fi
if [ {is_fixed} = 1 ]; then
  echo "the template says that {agent} is $wanted, and it is not"; exit 1
fi
umask 077
python3 -m venv --clear {folder}/agent
{folder}/agent/bin/python -m pip install --quiet --disable-pip-version-check {wheel}
is_wanted
"""
_START = """\
umask 077
cd {folder}
PATH=$PATH:/usr/sbin:/usr/local/sbin
for program in sshd ssh-keygen flock setsid; do
  command -v "$program" >/dev/null || {{ echo "this machine needs $program"; exit 1; }}
done
if [ -e serve.pid ] && ! flock -n serve.lock true; then
  kill -s TERM -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true || kill -s KILL -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true
fi
mv computer.json.new computer.json
rm -f serve.pid
cat > serve.sh <<'END_OF_SERVE'
exec 8>serve.lock
flock -n 8 || exit 0
echo $$ > serve.pid
until {agent} computers serve > serve.log 2>&1 8>&- </dev/null; do sleep 5 8>&-; done
END_OF_SERVE
setsid sh serve.sh > /dev/null 2>&1 < /dev/null &
# It leaves this script's session first: what belongs to that ends with it.
while [ ! -s serve.pid ]; do sleep 0.1; done
"""
_STOP = """\
cd {folder} 2>/dev/null || exit 0
if [ -e serve.pid ] && ! flock -n serve.lock true; then
  kill -s TERM -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true
fi
"""
_CLONE = """\
command -v git >/dev/null || {{ echo "this machine needs git"; exit 1; }}
export GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=https:http
draft="$HOME/.stationmaster/clone"
clone() {{
  if [ ! -e "$HOME/$2/.git" ]; then
    if [ -e "$HOME/$2" ]; then echo "$HOME/$2 is in the way"; exit 1; fi
    rm -rf "$draft"
    git clone -- "$1" "$draft"
    mv "$draft" "$HOME/$2"
  fi
  echo "{cloned}$HOME/$2"
}}
"""
_DEPENDENCIES = """\
[ ! -e "$HOME/.stationmaster/environment" ] || . "$HOME/.stationmaster/environment"
failed=0
with() {
  if ! command -v "$1" >/dev/null; then echo "$PWD needs $1, which is missing"; failed=1; return; fi
  echo "$PWD: $*"
  "$@" || failed=1
}
install() {
  cd "$HOME/$1"
  if [ -e pnpm-lock.yaml ]; then with pnpm install --frozen-lockfile
  elif [ -e yarn.lock ]; then with yarn install --frozen-lockfile
  elif [ -e package-lock.json ]; then with npm ci
  elif [ -e package.json ]; then with npm install; fi
  if [ -e uv.lock ]; then with uv sync
  elif [ -e poetry.lock ]; then with poetry install
  elif [ -e requirements.txt ]; then
    [ -e .venv ] || with python3 -m venv .venv
    if [ -e .venv ]; then with .venv/bin/pip install --quiet -r requirements.txt; fi
  fi
  if [ -e go.mod ]; then with go mod download; fi
  if [ -e Cargo.lock ]; then with cargo fetch; fi
  if [ -e Gemfile.lock ]; then with bundle install; fi
  if [ -e composer.lock ]; then with composer install; fi
}
"""


def set_up_user(user: str) -> str:
    return _whole(_ACCOUNT.format(user=shlex.quote(user)), as_account(user, try_home()))


def try_home() -> str:
    return _TRY_HOME.format(folder=_FOLDER)


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
    return _AGENT.format(
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
    start = _START.format(folder=_FOLDER, agent=agent or agent_program())
    return f"umask 077\ncd {_FOLDER}\n{_file('computer.json.new', registration)}\n{start}"


def stop_services() -> str:
    return _STOP.format(folder=_FOLDER)


def clone(repos: Mapping[str, str]) -> str:
    """`repos` are folders by address."""
    calls = [f"clone {shlex.quote(u)} {shlex.quote(name)}\n" for u, name in repos.items()]
    return _CLONE.format(cloned=CLONED) + "".join(calls)


def install_dependencies(folders: Sequence[str]) -> str:
    calls = "".join(f"install {shlex.quote(folder)}\n" for folder in folders)
    return f'{_DEPENDENCIES}{calls}[ "$failed" = 0 ]\n'


def _file(name: str, content: str) -> str:
    """Lines that write a file of the current folder, whole at once."""
    marker = f"END_{sha256(content.encode()).hexdigest()}"
    ended = content if content.endswith("\n") or not content else f"{content}\n"
    return f"cat > {name}.draft <<'{marker}'\n{ended}{marker}\nmv {name}.draft {name}"


def _whole(*parts: str) -> str:
    """A script that is read to its end before any of it runs."""
    body = "\n".join(parts)
    return f"main() {{\nset -eu\n{body}\n}}\nmain </dev/null\n"
