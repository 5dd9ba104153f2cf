"""`computers serve --install`: the agent of this machine as a service of its person."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from stationmaster.cli.printing import output
from stationmaster.client import computer, services
from stationmaster.errors import BadRequest
from stationmaster.settings import PREFIX, Settings, variable

_FOLDERS = "--workspace"


def change(
    settings: Settings,
    options: Mapping[str, Sequence[str | Path] | None],
    *,
    removes: bool,
    kind: services.Kind | None = None,
) -> None:
    """Install the service with these options of `serve`, or take it away without a trace.

    Raises BadRequest where this machine is not registered, OperatorError where the system refuses.
    """
    service = _service(settings, options, kind or services.kind_of_this_system())
    if removes:
        services.uninstall(service)
        output.remark(f"{service.path} is deleted.")
        return
    machine = computer.load(settings.client_dir)
    if machine is None or machine.registration is None:
        raise BadRequest(
            "this machine is not registered: `stationmaster computers register`",
            code="not_registered",
        )
    services.install(service)
    output.remark(f"{service.path} runs whenever you are signed in.")


def _service(
    settings: Settings, options: Mapping[str, Sequence[str | Path] | None], kind: services.Kind
) -> services.Service:
    command = [sys.executable, "-m", "stationmaster", "computers", "serve"]
    for option, values in options.items():
        for value in values or ():
            # A service begins in another folder than a shell.
            text = str(Path(value).resolve()) if option == _FOLDERS else str(value)
            command += [option, text]
    command += ["--url", settings.url] if settings.url is not None else []
    moved = variable(f"{PREFIX}CLIENT_DIR")
    variables = {f"{PREFIX}CLIENT_DIR": str(settings.client_dir.resolve())} if moved else {}
    return services.make(kind, command, variables, Path.home(), settings.client_dir, services.SERVE)
