"""What signing in needs: passwords, sessions, one-time links, the keys that sign tokens."""

from __future__ import annotations
