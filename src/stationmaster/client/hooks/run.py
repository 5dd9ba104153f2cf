"""`stationmaster hook`: takes the JSON that an agent's hook gives it, and lets the agent go on.

An agent waits for its hooks. So only modules that start in no time are loaded here: the JSON is
passed to a process of its own that no agent waits for. There it stays in memory until counts and
names are made of it (see `worker.py`). Whatever happens, the agent sees exit code 0, and no output
but what `gate` refuses.
"""

from __future__ import annotations

# What `signal` is made of; it imports enumerations, which take as long as all else here.
import _signal  # type: ignore[import-not-found]  # not in the stubs of the standard library
import os
import sys
import time

HELP = """Usage: stationmaster hook [--gate [NAME]] [--agent NAME] [--event NAME] [--verbose]

Takes the JSON of one hook of a coding agent on standard input, keeps counts and names of it and
sends them to the server. Always exits with 0. Prints nothing but refusals and what --verbose
requests.

  --gate [NAME]  refuse prompts and tool calls in the agent's own form while a budget is used up
  --when-unreachable allow|refuse
                 for --gate, what holds while nothing is known of budgets; by default allow
  --agent NAME   whose hook it is; else the JSON names it
  --event NAME   which hook it is, for agents whose JSON does not name it
  --verbose      do it in the foreground, and report what was kept or what went wrong
"""
SIZE_MAX = 32 * 2**20
"""Bytes of one hook's JSON; a larger one is read, so that its agent can go on, and not kept."""
FOLDER = "hooks"
"""Below the client's folder."""
SOCKET = "worker"
LOCK = "lock"
TAKEN, REFUSED = b"1", b"0"
_READ_SECONDS = 5
"""How long an agent may take to give its JSON."""
_PATIENCE_S = 120.0
_RETRY_S = 0.02
_CHUNK = 2**20


def main(arguments: list[str]) -> None:
    """Take one hook; the arguments are those after `hook`. Ends the process, always with 0."""
    options = _options(arguments)
    try:
        if "--help" in options:
            _write(1, HELP)
        else:
            _take(options)
    except BaseException as fault:  # The agent's edge: it must not see any fault of ours.
        if "--verbose" in options:
            _write(2, f"stationmaster hook: {fault or type(fault).__name__}\n")
    finally:
        # Not even closing a broken stream may give another exit code.
        os._exit(0)


def client_folder() -> str:
    """Settings.client_dir, without loading the settings."""
    # The settings room would load more than an agent should wait for.
    return os.environ.get("STATIONMASTER_CLIENT_DIR") or os.path.expanduser("~/.stationmaster")  # noqa: TID251


def head(agent: str, event: str) -> bytes:
    """The line before a hook's JSON: agent, event, and the millisecond at which it arrived."""
    return f"{_plain(agent)}\t{_plain(event)}\t{time.time_ns() // 1_000_000}\n".encode()


def give(folder: str, hook: bytes) -> str:
    """Have one hook (head and JSON) made into events in the folder; what became of it.

    By the process that does so already, else by this one, which then continues with those that
    follow and sends it all. Raises OSError when that is impossible. It changes to the folder: the
    name of a socket must be short.
    """
    from stationmaster.client.locks import alone

    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chdir(folder)
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        answer = _hand_over(hook)
        if answer == REFUSED:
            return "not kept: too much waits to be sent already, or the disk is full"
        if answer == TAKEN:
            return "passed to the process that keeps hooks"
        with alone(LOCK) as is_alone:
            if is_alone:
                from stationmaster.client.hooks import worker as hook_worker

                output = hook_worker.work(hook)
        if is_alone:
            from stationmaster.client import spool

            spool.deliver(".")
            return output
        time.sleep(_RETRY_S)
    raise TimeoutError("the process that keeps hooks does not answer")


def _take(options: dict[str, str]) -> None:
    is_gate, is_in_sight = "--gate" in options, "--verbose" in options
    can_fork, is_apart = hasattr(os, "fork"), "--apart" in options
    if not (can_fork or is_gate or is_in_sight or is_apart):
        _spawn()
        return
    _end_in_time()
    before = head(options.get("--agent", ""), options.get("--event", ""))
    content = _content()
    if not is_apart:
        _answer(options, content)
    if is_in_sight:
        _stop_no_more()
        _write(2, f"stationmaster hook: {_keep(options, before + content)}\n")
    elif is_apart or (can_fork and _is_apart()):
        _stop_no_more()
        _keep(options, before + content)
    elif not can_fork:
        _spawn(content)


def _answer(options: dict[str, str], content: bytes) -> None:
    if "--gate" in options:
        from stationmaster.client.hooks import gate

        _write(1, gate.answer(client_folder(), options, content))


def _keep(options: dict[str, str], hook: bytes) -> str:
    """Have a hook made into events, and what the gate knows brought up to date."""
    folder = os.path.abspath(client_folder())
    try:
        return give(os.path.join(folder, FOLDER), hook)
    finally:
        if "--gate" in options:
            from stationmaster.client.hooks import gate

            gate.note_use(folder, options.get("--agent", ""))
            is_due = gate.is_due(folder)
            if is_due or gate.may_refuse(folder):
                from stationmaster.client.hooks import gate_file

                if is_due:
                    gate_file.refresh(folder)
                if "--verbose" not in options and gate.may_refuse(folder):
                    gate_file.follow(folder)


def _hand_over(hook: bytes) -> bytes:
    """What the process that keeps hooks answers; empty where there is none."""
    import socket

    try:
        with socket.socket(socket.AF_UNIX) as there:
            there.settimeout(_PATIENCE_S)
            there.connect(SOCKET)
            there.sendall(hook)
            there.shutdown(socket.SHUT_WR)
            return there.recv(1)
    except (OSError, AttributeError):
        # It has just ended, or this system has no such sockets.
        return b""


def _is_apart() -> bool:
    """False for the process that the agent waits for; True in one of its own, without its pipes."""
    if os.fork():
        return False
    os.setsid()
    # The agent waits until no process holds the other end of its pipes.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return True


def _spawn(content: bytes | None = None) -> None:
    """Where processes do not fork: the same again, which reads `content`, else what the agent
    gives."""
    import subprocess

    process = subprocess.Popen(  # noqa: S603 - our own program
        # -P: what is in the project's folder is not ours to run.
        [sys.executable, "-P", "-m", "stationmaster", *sys.argv[1:], "--apart"],
        stdin=None if content is None else subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
    )
    if process.stdin is not None and content is not None:
        process.stdin.write(content)
        process.stdin.close()


def _end_in_time() -> None:
    """Let a signal end the process well, and an agent that never stops giving, too."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGALRM"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), lambda *_: os._exit(0))
    if hasattr(_signal, "alarm"):
        _signal.alarm(_READ_SECONDS)


def _stop_no_more() -> None:
    if hasattr(_signal, "alarm"):
        _signal.alarm(0)


def _content() -> bytes:
    """Standard input to its end. Raises ValueError where it is a terminal, or gives too much."""
    if os.isatty(0):
        raise ValueError("the JSON of a hook is expected on standard input")
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, _CHUNK):
        size += len(part)
        if size <= SIZE_MAX:
            parts.append(part)
    if size > SIZE_MAX:
        raise ValueError("the JSON is larger than a hook's can be")
    return b"".join(parts)


def _options(arguments: list[str]) -> dict[str, str]:
    """Flags with their values; unknown ones are passed over, newer configurations included."""
    options: dict[str, str] = {}
    rest = list(reversed(arguments))
    while rest:
        name, has_value, value = rest.pop().partition("=")
        if name in ("--agent", "--event", "--when-unreachable") and not has_value:
            value = rest.pop() if rest else ""
        elif name == "--gate":
            if not has_value and rest and not rest[-1].startswith("-"):
                value = rest.pop()
            if value:
                options.setdefault("--agent", value)
        options["--help" if name == "-h" else name] = value
    return options


def _plain(name: str) -> str:
    return "".join(c for c in name if c.isalnum() or c in "-_.")[:100]


def _write(stream: int, text: str) -> None:
    os.write(stream, text.encode(errors="replace"))
