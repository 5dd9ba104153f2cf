"""The one place where errors become exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from stationmaster.errors import MissingExtra, StationmasterError


def run(command: Callable[[], object]) -> None:
    """Run a command; exit 0 only when all was done, 1 on an error."""
    try:
        command()
    except StationmasterError as error:
        _fail(str(error))
    except OSError as fault:
        _fail(f"{fault.filename or 'input or output'}: {fault.strerror or fault}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("stationmaster"):
            raise
        extra = MissingExtra("this command", "server", missing.name).detail
        _fail(f"{extra}; or name a server with --url and --key, if the command has them")
    except KeyboardInterrupt:
        sys.exit(130)


def _fail(why: str) -> NoReturn:
    """One line, whatever the reason holds."""
    sys.stderr.write(f"stationmaster: {' '.join(why.split())}\n")
    sys.exit(1)
