"""Services that are closed."""

from __future__ import annotations

CLOSED = {
    "appcenter": "App Center closed on 31 March 2025",
    "cirrus-ci": "Cirrus CI closed on 1 June 2026",
    "lgtm": "LGTM closed in December 2022",
    "wercker": "Wercker closed on 31 October 2022",
}
"""By provider, in words. Of Earthly only the cloud closed, in 2025; its targets run anywhere."""
