"""Price lists that people upload: read in a child process, since a file may be anything."""

from __future__ import annotations

from stationmaster import clock
from stationmaster.children import limits
from stationmaster.children.calling import call
from stationmaster.children.turns import Turns
from stationmaster.errors import BadRequest, Unavailable
from stationmaster.ids import OrgId
from stationmaster.pricing.credits import card, files
from stationmaster.pricing.credits.card import PriceList

_WAIT_S = 20.0
_CPU_S = 60
_MEMORY = 2**30


def read(org: OrgId, content: bytes, turns: Turns) -> PriceList:
    """The list in a file of LiteLLM or genai-prices, recognised by content.

    Raises BadRequest (`bad_price_list`) for everything else, Unavailable (`uploads_busy`) where the
    organization gets none of the `turns` within 20 seconds.
    """
    if not content:
        raise BadRequest("The file is empty: send a price list.", code="bad_price_list")
    if len(content) > files.SIZE_MAX:
        raise files.refusal(f"it is larger than {files.SIZE_MAX // 2**20} MiB")
    with turns.of(org, _WAIT_S) as is_mine:
        if not is_mine:
            raise Unavailable("Other uploads are being checked; try again.", code="uploads_busy")
        within = limits.Limits(cpu_s=_CPU_S, wall_s=2.0 * _CPU_S, memory=_MEMORY)
        return card.decode(call(within, files.read, content, clock.today()))
