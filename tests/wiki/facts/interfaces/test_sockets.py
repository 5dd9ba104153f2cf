"""Events of sockets that are handed from file to file."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import jobs
from tests.wiki.commits import facts_of

SERVER = """const { chat } = require("./chat");
io.on("connection", async (socket) => {
    socket.on("login", () => {});
    chat(socket);
});
"""
CHAT = """const rooms = require("./rooms");
module.exports.chat = (socket) => {
    socket.on("say", () => {});
    rooms(socket);
};
module.exports.unused = (socket) => { socket.on("never", () => {}); };
"""
ROOMS = """module.exports = function rooms(socket) {
    socket.on("join", joined);
};
function joined() {}
"""


def test_a_function_that_is_given_a_socket_waits_for_its_messages() -> None:
    facts = facts_of({"server.js": SERVER, "chat.js": CHAT, "rooms.js": ROOMS})
    assert [(it.name, it.path, it.line, it.handler, it.handler_line) for it in jobs(facts)] == [
        ("join", "rooms.js", 2, "joined", 4),
        ("login", "server.js", 3, "", 0),
        ("say", "chat.js", 3, "chat", 2),
    ]
    assert {(it.kind, it.framework) for it in jobs(facts)} == {("event", "Socket.IO")}
