"""JSON answers: the framework's response class, encoded by msgspec."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response


class JsonResponse(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)
