"""Pages under the application address: figures, repositories, settings, the client for laptops.

Plain HTML that needs no script to work; it shows what rooms below know and decides nothing.
"""

from stationmaster.web import (
    connect,
    coverage,
    install,
    output,
    overview,
    people,
    reference,
    search,
    sessions,
    sign_in,
    spend,
    use,
    what_if,
)
from stationmaster.web.computers import (
    adding,
    page as computers,
    sessions as computer_sessions,
)
from stationmaster.web.frame import pages
from stationmaster.web.frame.error_pages import error_page
from stationmaster.web.limits import budget_requests, budgets, own_budgets, page as limits
from stationmaster.web.repositories import (
    ci as repository_ci,
    files as repository_files,
    readiness as repository_readiness,
    repository,
    rows,
    wiki,
)
from stationmaster.web.settings import (
    alerts,
    api_keys,
    members,
    organization,
    price_lists,
    records,
    sign_in as sign_in_settings,
)

ROUTERS = (
    sign_in.routes,
    overview.routes,
    spend.routes,
    what_if.routes,
    use.routes,
    output.routes,
    rows.routes,
    repository.routes,
    repository_ci.routes,
    repository_files.routes,
    repository_readiness.routes,
    wiki.routes,
    people.routes,
    sessions.routes,
    budgets.routes,
    own_budgets.routes,
    budget_requests.routes,
    limits.routes,
    search.routes,
    adding.routes,
    computers.routes,
    computer_sessions.routes,
    coverage.routes,
    connect.routes,
    api_keys.routes,
    members.routes,
    organization.routes,
    sign_in_settings.routes,
    price_lists.routes,
    alerts.routes,
    records.routes,
    reference.routes,
    install.routes,
    pages.routes,
)
"""What the application serves to browsers."""

__all__ = ["ROUTERS", "error_page"]
