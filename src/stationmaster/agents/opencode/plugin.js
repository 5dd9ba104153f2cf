import { spawn } from "node:child_process"

const gateArguments = GATE_ARGUMENTS
const GATE_MS = 10000
const LEVELS_MAX = 64
const parents = new Map()
const models = new Map()
const shown = new Set()
let config = {}
let client
let cwd

function send(fields) {
  try {
    const hook = spawn(PROGRAM, ["hook", "--agent", "opencode"], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    hook.on("error", () => {})
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ ...fields, ...rootOf(fields) }))
    hook.unref()
  } catch {}
}

function ask(fields) {
  return new Promise((resolve) => {
    const isClosed = gateArguments.includes("refuse")
    const why = `Stationmaster: ${PROGRAM} cannot be run, and work is to be refused then.`
    const fail = () => resolve(isClosed ? { refuse: why } : {})
    const timer = setTimeout(fail, GATE_MS)
    try {
      const hook = spawn(PROGRAM, ["hook", ...gateArguments, "--agent", "opencode"], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      let answer = ""
      hook.on("error", fail)
      hook.stdin.on("error", () => {})
      hook.stdout.on("data", (part) => (answer += part))
      hook.on("close", (code) => {
        clearTimeout(timer)
        try {
          code === 0 ? resolve(JSON.parse(answer || "{}")) : fail()
        } catch {
          fail()
        }
      })
      hook.stdin.end(JSON.stringify({ cwd, ...fields, ...rootOf(fields) }))
    } catch {
      fail()
    }
  })
}

async function pass(fields) {
  if (!gateArguments) return
  const { refuse, warn } = await ask(fields)
  if (refuse) throw new Error(refuse)
  if (warn && !shown.has(warn)) await show(warn)
}

async function show(message) {
  shown.add(message)
  try {
    await client.tui.showToast({ body: { message, variant: "warning" } })
  } catch {}
}

function rootOf(fields) {
  const own = fields.sessionID ?? fields.info?.sessionID ?? fields.part?.sessionID ?? fields.info?.id
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
  "session.created": ({ info }) => remembered(info),
  "session.updated": ({ info }) => (parents.has(info.id) ? undefined : remembered(info)),
  "message.updated": ({ info }) =>
    info.role === "assistant" && info.time?.completed ? { info } : undefined,
  "message.part.updated": ({ part }) =>
    ["completed", "error"].includes(part.state?.status) ? { part } : undefined,
  "command.executed": ({ name, sessionID, messageID }) => ({ name, sessionID, messageID }),
}

function remembered(info) {
  parents.set(info.id, info.parentID ?? null)
  return { info }
}

export const Stationmaster = async (host) => {
  client = host?.client
  cwd = host?.directory
  return {
    config: async (settings) => {
      config = settings ?? {}
    },
    event: async ({ event }) => {
      try {
        const fields = readers[event.type]?.(event.properties)
        if (fields) send({ type: event.type, ...fields })
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const { sessionID, messageID, agent } = input
        const { message, parts } = output
        const permission = permissionOf(agent ?? message?.agent)
        send({ type: "chat.message", sessionID, messageID, agent, message, parts, permission })
      } catch {}
    },
    "chat.params": async ({ sessionID, model }) => {
      models.set(sessionID, model?.id)
      await pass({ type: "chat.params", sessionID, model: model?.id })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }) => {
      const model = models.get(sessionID)
      await pass({ type: "tool.execute.before", tool, sessionID, callID, model })
    },
  }
}
