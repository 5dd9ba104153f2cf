"""What the relay and a computer's agent send to each other on the control socket, and how their
sockets end.

A control message is one text frame with one JSON object; an unknown `type` or member is ignored. A
data socket carries the bytes of one connection in binary frames; an empty frame means that its
sender will send no more, while the other direction continues.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal, TypeVar, get_args

import msgspec

from stationmaster import session_messages

SUBPROTOCOL = "stationmaster.relay.v1"
SSH_PORT = 22
MESSAGE_BYTES_MAX = 16 * 1024
FRAME_BYTES_MAX = 64 * 1024
BEAT_S = 15.0
"""How often an agent reports that it is there; the relay answers each beat."""
SILENCE_S = 25.0
"""A peer that sent nothing for so long is taken for dead, on both sides."""
PORTS_MAX = 100
AGENTS_MAX = 50
HOST_KEYS_MAX = 10

Reason = Literal[
    "port_not_allowed", "connection_refused", "too_many", "no_ssh_server", "shutting_down"
]
"""Why an agent opens no connection to one of its ports."""
Purpose = Literal["ssh", "forward", "probe", "session"]
"""`session` is no port: the agent answers about sessions of coding agents (session_messages)."""
Bytes = Annotated[int, msgspec.Meta(ge=0, lt=2**60)]
T = TypeVar("T")


class Close(IntEnum):
    """Codes with which a socket of the relay is closed (RFC 6455, 4000 to 4999 are ours)."""

    FINISHED = 1000
    FAILED = 1011
    MALFORMED = 4400
    REVOKED = 4401
    SILENT = 4408
    REPLACED = 4409
    """A newer control socket of the same computer took the place of this one."""
    REMOVED = 4410
    LIMIT = 4429
    RESTARTING = 4503


class _Message(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    pass


class Hello(_Message, frozen=True, kw_only=True, tag="hello"):
    """An agent's first message. `ports` are the first and last of each range that it allows."""

    agent_version: str
    host_id: str
    machine_hash: str | None = None
    hostname: str
    remote_user: str
    ssh_host_keys: tuple[str, ...] = ()
    """Lines of the form `ssh-ed25519 AAAA…`."""
    ports: tuple[tuple[int, int], ...] = ()
    agents: tuple[str, ...] = ()
    """Names of the coding agents of which sessions may be started."""

    @property
    def shown_agents(self) -> list[str]:
        """The names, as far as they can be shown."""
        longest = session_messages.NAME_MAX
        names = {name for name in self.agents if name.isprintable() and len(name) <= longest}
        return sorted(names)[:AGENTS_MAX]


class Sample(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How busy a machine is: processors in per cent of all of them, memory and the disk of the
    account's home in bytes.
    """

    cpu_used_pct: Annotated[float, msgspec.Meta(ge=0, le=100)]
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=65536)]
    mem_used: Bytes
    mem_total: Bytes
    disk_used: Bytes
    disk_total: Bytes


class Beat(_Message, frozen=True, kw_only=True, omit_defaults=True, tag="beat"):
    """Sent by the agent every `BEAT_S`, and sent back by the relay; an agent's may report how busy
    its machine is.
    """

    sample: Sample | None = None


class Refuse(_Message, frozen=True, kw_only=True, tag="refuse"):
    """The agent opens no connection for a stream; `detail` is a sentence."""

    stream: str
    reason: Reason
    detail: str = ""


class Authorized(_Message, frozen=True, kw_only=True, tag="authorized"):
    """The public key of an Authorize is let in."""

    grant: str


class Sessions(_Message, frozen=True, kw_only=True, tag="sessions"):
    """All sessions that the agent holds, and the last that ended: at each change of one."""

    sessions: tuple[session_messages.SessionState, ...]


class Bye(_Message, frozen=True, kw_only=True, tag="bye"):
    """The agent leaves on purpose."""


class Welcome(_Message, frozen=True, kw_only=True, tag="welcome"):
    """The relay has accepted a Hello. `telemetry` is a token with which agents of the computer
    send what they do as its owner's; servers before 1.0 sent none."""

    beat_every_s: float
    server_time: int
    telemetry: str | None = None


class Open(_Message, frozen=True, kw_only=True, tag="open"):
    """Connect to a port of the loopback address, then dial the stream with the ticket."""

    stream: str
    ticket: str
    port: int
    principal: str
    purpose: Purpose


class Authorize(_Message, frozen=True, kw_only=True, tag="authorize"):
    """Let a public SSH key in, for `seconds` from now."""

    grant: str
    public_key: str
    seconds: int


class Restarting(_Message, frozen=True, kw_only=True, tag="restarting"):
    """The relay ends on purpose; connect again after so many milliseconds."""

    come_back_in_ms: int


FromAgent = Hello | Beat | Refuse | Authorized | Sessions | Bye
ToAgent = Welcome | Beat | Open | Authorize | Restarting

_FROM_AGENT = msgspec.json.Decoder(FromAgent)
_TO_AGENT = msgspec.json.Decoder(ToAgent)


def from_agent(text: str) -> FromAgent | None:
    """A message of an agent; None for a type that this version does not know.

    Raises ValueError for what is no message at all.
    """
    return _decoded(_FROM_AGENT, text)


def to_agent(text: str) -> ToAgent | None:
    """A message of the relay; see `from_agent`."""
    return _decoded(_TO_AGENT, text)


def encoded(message: _Message) -> str:
    """The text frame of a message."""
    return msgspec.json.encode(message).decode()


_KNOWN = {kind.__struct_config__.tag for kind in (*get_args(FromAgent), *get_args(ToAgent))}


class _Any(msgspec.Struct):
    type: str


def _decoded(decoder: msgspec.json.Decoder[T], text: str) -> T | None:
    if len(text) > MESSAGE_BYTES_MAX:
        raise ValueError(f"a control message has at most {MESSAGE_BYTES_MAX} bytes")
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        if msgspec.json.decode(text, type=_Any).type not in _KNOWN:
            return None
        raise
