"""The names under which people know the agents, by product."""

AGENT_NAMES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "qwen-code": "Qwen Code",
    "opencode": "OpenCode",
    "copilot-cli": "GitHub Copilot CLI",
    "cursor": "Cursor",
    "droid": "Droid",
}


def agent_name(agent: str) -> str:
    """The name of an agent, or its product where it has none."""
    return AGENT_NAMES.get(agent, agent)
