"""An agent that speaks the Agent Client Protocol and has no model: it does what a prompt says.

`say TEXT` answers, `export FILE` sends what a file holds as Gemini CLI exports, `write NAME`
asks for permission and writes a file, `wait` works until it is cancelled, `busy` also after that,
`many N` says N things, `die` ends with status 3, `child` starts a process that stays,
`deaf NAME` starts one, writes both ids to a file and reads nothing any more.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

permissions = 0
cwd = ""


def send(**members):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def update(name, /, **members):
    params = {"sessionId": "s1", "update": {"sessionUpdate": name, **members}}
    send(method="session/update", params=params)


def say(text):
    update("agent_message_chunk", content={"type": "text", "text": text})


def write(name):
    global permissions
    permissions += 1
    call = {"toolCallId": f"call{permissions}", "title": f"Write {name}", "kind": "edit"}
    update("tool_call", **call, status="pending")
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    asked = {"toolCallId": call["toolCallId"], "rawInput": {"path": name}}
    params = {"sessionId": "s1", "toolCall": asked, "options": options}
    send(id=1000 + permissions, method="session/request_permission", params=params)
    answer = receive()
    while answer.get("id") != 1000 + permissions:
        answer = receive()
    outcome = answer["result"]["outcome"]
    is_allowed = outcome.get("optionId") == "yes"
    if is_allowed:
        with open(f"{cwd}/{name}", "w") as file:
            file.write("written\n")
    status = "completed" if is_allowed else "failed"
    update("tool_call_update", toolCallId=call["toolCallId"], status=status)
    return "cancelled" if outcome["outcome"] == "cancelled" else "end_turn"


def export(name):
    where = os.environ.get("GEMINI_TELEMETRY_OTLP_ENDPOINT")
    if where is None:
        say("nowhere")
        return
    field, _, value = os.environ["OTEL_EXPORTER_OTLP_HEADERS"].partition("=")
    with open(f"{cwd}/{name}", "rb") as file:
        headers = {field: value, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{where}/v1/logs", file.read(), headers)
    with urllib.request.urlopen(request) as answer:
        say(str(answer.status))


def work(text):
    word, _, rest = text.partition(" ")
    if word == "say":
        update("agent_thought_chunk", content={"type": "text", "text": "I say it."})
        say(rest)
    elif word == "write":
        return write(rest)
    elif word == "many":
        for number in range(int(rest)):
            say(str(number))
    elif word == "wait":
        while receive().get("method") != "session/cancel":
            pass
        return "cancelled"
    elif word == "die":
        sys.stderr.write("out of tokens\n")
        sys.exit(3)
    elif word == "export":
        export(rest)
    elif word == "busy":
        while True:
            receive()
    elif word == "child":
        child = subprocess.Popen(["sleep", "600"], start_new_session=False)
        say(str(child.pid))
    elif word == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"])
        with open(f"{cwd}/{rest}", "w") as file:
            file.write(f"{os.getpid()} {child.pid}\n")
        while True:
            time.sleep(60)
    return "end_turn"


while True:
    message = receive()
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        send(id=number, result={"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []})
    elif method == "session/new":
        cwd = message["params"]["cwd"]
        send(id=number, result={"sessionId": "s1"})
    elif method == "session/prompt":
        [block] = message["params"]["prompt"]
        send(id=number, result={"stopReason": work(block["text"])})
