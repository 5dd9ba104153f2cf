"""Pages under the application address: figures, repositories, settings, the client for laptops.

Plain HTML that needs no script to work; it shows what rooms below know and decides nothing.
"""

from stationmaster.web import (
    alerts,
    api_keys,
    computers,
    connect,
    coverage,
    files,
    install,
    limits,
    members,
    organization,
    output,
    overview,
    people,
    person,
    records,
    reference,
    repositories,
    repository,
    repository_ci,
    repository_cost,
    repository_files,
    repository_readiness,
    search,
    service_accounts,
    sessions,
    sign_in,
    spend,
    use,
    what_if,
    wiki,
)
from stationmaster.web.error_pages import error_page

ROUTERS = (
    sign_in.routes,
    overview.routes,
    spend.routes,
    what_if.routes,
    use.routes,
    output.routes,
    repositories.routes,
    repository.routes,
    repository_ci.routes,
    repository_cost.routes,
    repository_files.routes,
    repository_readiness.routes,
    wiki.routes,
    people.routes,
    person.routes,
    sessions.routes,
    limits.routes,
    search.routes,
    computers.routes,
    coverage.routes,
    connect.routes,
    api_keys.routes,
    members.routes,
    organization.routes,
    service_accounts.routes,
    alerts.routes,
    records.routes,
    reference.routes,
    install.routes,
    files.routes,
)
"""What the application serves to browsers."""

__all__ = ["ROUTERS", "error_page"]
