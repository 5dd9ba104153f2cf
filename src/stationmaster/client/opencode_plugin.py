"""OpenCode's plugin of ours: it has no hooks that are commands, so this file runs ours.

What it forwards stands in docs/agents.md; how it is read, in agents/opencode/hooks.py. Only what
is finished is told, because each is a process: a message or a call is updated many times before.
"""

from __future__ import annotations

import json
import re

MARK = "// Stationmaster's plugin:"
EVENTS = (
    *("session.created", "session.updated", "chat.message", "message.updated"),
    *("message.part.updated", "command.executed"),
)


def text(program: str) -> str:
    """The file, which runs `program`."""
    return f"{MARK} `stationmaster hooks remove opencode` takes it away.\n" + _TEXT.replace(
        "PROGRAM", json.dumps(program)
    )


def program_of(text: str) -> str | None:
    """The program that a plugin of ours runs; None for a text that names none."""
    call = re.search(r'^ *const hook = spawn\(("(?:[^"\\\n]|\\.)*"), ', text, re.MULTILINE)
    return None if call is None else str(json.loads(call[1]))


_TEXT = """\
import { spawn } from "node:child_process"

const LEVELS_MAX = 64
const parents = new Map()
let config = {}

function tell(given) {
  try {
    const hook = spawn(PROGRAM, ["hook", "--agent", "opencode"], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    hook.on("error", () => {})
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ ...given, ...rootOf(given) }))
    hook.unref()
  } catch {}
}

function rootOf(given) {
  const own = given.sessionID ?? given.info?.sessionID ?? given.part?.sessionID ?? given.info?.id
  let root = own
  for (let level = 0; level < LEVELS_MAX && parents.get(root); level++) root = parents.get(root)
  return root && root !== own ? { rootSessionID: root } : {}
}

function permissionOf(agent) {
  const everywhere = config.permission ?? {}
  const own = config.agent?.[agent]?.permission
  if (own === undefined) return everywhere
  const areObjects = [everywhere, own].every((one) => typeof one === "object")
  return areObjects ? { ...everywhere, ...own } : own
}

const readers = {
  "session.created": ({ info }) => told(info),
  "session.updated": ({ info }) => (parents.has(info.id) ? undefined : told(info)),
  "message.updated": ({ info }) =>
    info.role === "assistant" && info.time?.completed ? { info } : undefined,
  "message.part.updated": ({ part }) =>
    ["completed", "error"].includes(part.state?.status) ? { part } : undefined,
  "command.executed": ({ name, sessionID, messageID }) => ({ name, sessionID, messageID }),
}

function told(info) {
  parents.set(info.id, info.parentID ?? null)
  return { info }
}

export const Stationmaster = async () => ({
  config: async (found) => {
    config = found ?? {}
  },
  event: async ({ event }) => {
    try {
      const given = readers[event.type]?.(event.properties)
      if (given) tell({ type: event.type, ...given })
    } catch {}
  },
  "chat.message": async (input, output) => {
    try {
      const { sessionID, messageID, agent } = input
      const { message, parts } = output
      const permission = permissionOf(agent ?? message?.agent)
      tell({ type: "chat.message", sessionID, messageID, agent, message, parts, permission })
    } catch {}
  },
})
"""
