"""Events of Socket.IO."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Handed, Job
from tests.reading.code.reading import facts_of


def event(name: str, line: int, handler: str = "") -> Job:
    return Job(name, "event", line, name, handler, "Socket.IO")


def test_events_are_those_of_the_socket_that_connects() -> None:
    facts = facts_of(
        "JavaScript",
        """
        const { Server } = require("socket.io");
        const prefix = "chat_";
        const server = new Server(3000);
        server.on("connection", (socket) => {
            socket.on("message", (text) => { other.on("x", () => {}); });
            socket.once(prefix + "join", join);
            socket.on(nameOf(), () => {});
            socket.emit("hello");
            more(socket, store);
        });
        server.of("/admin").on("connection", admin.connected);
        process.on("exit", (socket) => { socket.on("end", () => {}); });
    """,
    )
    assert facts.jobs == (event("message", 6), event("chat_join", 7, "join"))
    assert facts.wiring.events == ()
    assert facts.wiring.handed == (
        Handed("admin.connected", 12, (), "Socket.IO"),
        Handed("more", 10, (), "Socket.IO"),
    )


def test_what_is_done_with_a_socket_that_a_function_is_given_is_told_for_that_function() -> None:
    facts = facts_of(
        "TypeScript",
        """
        export const chat = (socket: Socket, io: Server) => {
            socket.on("say", async (text) => { say(socket, text); });
            rooms(socket);
        };
        function other(stream) { stream.on("data", read); }
    """,
    )
    assert facts.jobs == ()
    assert facts.wiring.events == (("chat", event("say", 3, "chat")),)
    assert facts.wiring.handed == (Handed("say", 3, (), "chat"), Handed("rooms", 4, (), "chat"))


@pytest.mark.parametrize(
    "text",
    [
        'import { io } from "socket.io-client"; io.on("connection", (socket) => '
        '{ socket.on("x", () => {}); });',
        'const net = require("net"); const socket = net.connect(1); socket.on("data", () => {});',
        'wss.on("connection", (socket) => { socket.on("message", () => {}); });',
    ],
    ids=["a client", "a socket of the system", "another server"],
)
def test_other_sockets_are_none(text: str) -> None:
    facts = facts_of("TypeScript", text)
    assert (facts.jobs, facts.wiring.events) == ((), ())
