// Loads the plugin as OpenCode does, and tells it what a session tells.
const [, , file] = process.argv
const { Stationmaster } = await import(file)
const showToast = async ({ body }) => console.log(`shown: ${body.variant} ${body.message}`)
const plugin = await Stationmaster({ client: { tui: { showToast } } })
await plugin.config({ permission: { bash: "ask" }, agent: { plan: { permission: { edit: "deny" } } } })
const event = (type, properties) => plugin.event({ event: { type, properties } })
await event("session.created", { info: { id: "ses_top", version: "1.2.3" } })
await event("session.updated", { info: { id: "ses_top", version: "1.2.3" } })
await event("session.created", { info: { id: "ses_child", parentID: "ses_top" } })
const tried = async (what, step) => {
  try {
    await step
  } catch (fault) {
    console.log(`${what}: ${fault.message}`)
  }
}
const model = { providerID: "anthropic", id: "claude-opus-5" }
await plugin["chat.message"](
  { sessionID: "ses_top", messageID: "msg_1", agent: "plan" },
  { message: { id: "msg_1", role: "user", sessionID: "ses_top" }, parts: [] },
)
await tried("model call", plugin["chat.params"]({ sessionID: "ses_top", model }, {}))
const call = { tool: "bash", sessionID: "ses_top", callID: "call_1" }
await tried("tool", plugin["tool.execute.before"](call, { args: {} }))
const part = { id: "prt_1", sessionID: "ses_child", messageID: "msg_2", type: "tool", tool: "bash" }
await event("message.part.updated", { part: { ...part, state: { status: "running" } } })
await event("message.part.updated", { part: { ...part, state: { status: "completed" } } })
await event("message.updated", { info: { id: "msg_2", role: "assistant", time: {} } })
await event("command.executed", { name: "review", sessionID: "ses_top", arguments: "SECRET" })
await event("some.other", undefined)
await event("session.created", undefined)
