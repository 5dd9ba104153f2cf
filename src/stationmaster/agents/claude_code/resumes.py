"""The hook of a resumed session: it runs while its process has an id that no session has."""

from __future__ import annotations

from stationmaster.agents.interface import Intake
from stationmaster.events.model import Event, identify

_LOADED_WITHIN_MS = 60_000


def begin(hook: Event, intake: Intake) -> None:
    """Note the hook at the start of a process that resumes a session."""
    if hook.hook_event == "SessionStart" and hook.hook_matcher == "resume":
        intake.resuming[hook.installation or ""] = hook.event_id


def end(prompt: Event, intake: Intake) -> None:
    """Give that hook the session of the first prompt that comes after it in the delivery."""
    noted = intake.resuming.pop(prompt.installation or "", None)
    if noted is None or prompt.session_id is None:
        return
    hook = intake.take_back(noted)
    if hook is None:
        return
    if 0 <= prompt.ts - hook.ts <= _LOADED_WITHIN_MS:
        hook.session_id = hook.root_session_id = prompt.session_id
        identify(hook, prompt.session_id, noted)
    intake.add(hook)
