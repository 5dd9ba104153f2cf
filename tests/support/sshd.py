"""The sshd of this machine, without which some tests are skipped."""

from __future__ import annotations

import os
import shutil

import pytest

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
needs_sshd = pytest.mark.skipif(SSHD is None, reason="there is no sshd")
