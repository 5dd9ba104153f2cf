"""Who may do what: the status of every operation for every kind of caller.

`foreign` and `unknown` are what those who may use an operation get for another organization's
resource and for one that does not exist; `-` where an operation names no resource.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.support.cast import CALLERS

TABLE = """
                                                               owner  manager  member  guest  svc  svc-mgr  ingest  none  revoked  foreign  unknown

GET    /healthz                                                200    200      200     200    200  200      200     200   200      -        -
GET    /readyz                                                 200    200      200     200    200  200      200     200   200      -        -
GET    /metrics                                                403    403      403     403    403  403      403     401   401      -        -
GET    /.well-known/jwks.json                                  200    200      200     200    200  200      200     200   200      -        -

POST   /v1/metrics                                             200    200      200     200    200  200      200     401   401      -        -
POST   /v1/logs                                                200    200      200     200    200  200      200     401   401      -        -
POST   /v1/traces                                              200    200      200     200    200  200      200     401   401      -        -
POST   /                                                       200    200      200     200    200  200      200     401   401      -        -
POST   /api/platform/v1/events                                 200    200      200     200    200  200      200     401   401      -        -
GET    /api/platform/v1/me                                     200    200      200     200    200  200      200     401   401      -        -

GET    /api/v1/analytics/tokens                                200    200      403     403    403  200      403     401   401      -        -
GET    /api/v1/analytics/tools                                 200    200      403     403    403  200      403     401   401      -        -
GET    /api/v1/analytics/activity                              200    200      403     403    403  200      403     401   401      -        -
GET    /api/v1/analytics/productivity                          200    200      403     403    403  200      403     401   401      -        -
GET    /api/v1/analytics/users                                 200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/edits                        200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/tool-runs                    200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/errors                       200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/cache                        200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/spend                        200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/analytics/hook-runs                    200    200      403     403    403  200      403     401   401      -        -

GET    /api/v0/organization/usage/limits/users                 200    200      403     403    403  200      403     401   401      -        -
PUT    /api/v0/organization/usage/limits/users                 200    200      403     403    403  200      403     401   401      -        -
GET    /api/v0/organization/usage/limits/global                200    200      403     403    403  200      403     401   401      -        -
PUT    /api/v0/organization/usage/limits/global                200    200      403     403    403  200      403     401   401      -        -

GET    /api/v0/computers                                       200    200      200     403    200  200      403     401   401      -        -
POST   /api/v0/computers                                       201    201      201     403    201  201      403     401   401      -        -
POST   /api/v0/computers/bulk                                  501    501      501     403    501  501      403     401   401      -        -
GET    /api/v0/computers/providers                             200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/computers/name/{name}                           200    200      200     403    200  200      403     401   401      404      404
GET    /api/v0/computers/{computer_id}                         200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/computers/{computer_id}/history        200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/computers/{computer_id}/sessions       200    200      200     403    200  200      403     401   401      404      404
POST   /api/platform/v1/computers/{computer_id}/sessions       409    409      409     403    409  409      403     401   401      404      404
GET    /api/platform/v1/computers/{computer_id}/sessions/{session_id} 200 200   200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/computers/{computer_id}/sessions/{session_id}/updates 409 409 409 403  409  409      403     401   401      404      404
POST   /api/platform/v1/computers/{computer_id}/sessions/{session_id}/prompts 409 409 409 403  409  409      403     401   401      404      404
POST   /api/platform/v1/computers/{computer_id}/sessions/{session_id}/permissions/{permission_id} 409 409 409 403 409 409 403 401 401 404     404
POST   /api/platform/v1/computers/{computer_id}/sessions/{session_id}/cancel 409 409  409 403  409  409      403     401   401      404      404
POST   /api/platform/v1/computers/{computer_id}/sessions/{session_id}/stop 409 409    409 403  409  409      403     401   401      404      404
POST   /api/platform/v1/pairings                               201    201      201     201    201  201      201     201   201      -        -
POST   /api/platform/v1/pairings/claim                         200    200      200     200    200  200      200     200   200      -        -
POST   /api/platform/v1/pairings/look-up                       200    200      200     403    200  200      403     401   401      -        -
POST   /api/platform/v1/pairings/approve                       201    201      201     403    201  201      403     401   401      -        -
GET    /api/platform/v1/remote-access                          200    200      200     403    200  200      403     401   401      -        -
PUT    /api/platform/v1/remote-access                          200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/computers/{computer_id}/steps          200    200      200     403    200  200      403     401   401      404      404
PATCH  /api/v0/computers/{computer_id}                         200    200      200     403    200  200      403     401   401      404      404
DELETE /api/v0/computers/{computer_id}                         204    204      204     403    204  204      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/restart                 409    409      409     403    409  409      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/refresh                 409    409      409     403    409  409      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/install-deps            409    409      409     403    409  409      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/activity                409    409      409     403    409  409      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/retry                   409    409      409     403    409  409      403     401   401      404      404
GET    /api/v0/computers/{computer_id}/metrics                 400    400      400     403    400  400      403     401   401      404      404
GET    /api/v0/computers/{computer_id}/connection              200    200      200     403    200  200      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/ssh-grants              409    409      409     403    409  409      403     401   401      404      404
POST   /api/v0/computers/{computer_id}/host-keys/trust         204    204      204     403    204  204      403     401   401      404      404
GET    /api/v0/organization/computer-secrets                   200    200      403     403    403  200      403     401   401      -        -
PATCH  /api/v0/organization/computer-secrets                   200    200      403     403    403  200      403     401   401      -        -

GET    /api/v0/wiki                                            200    200      200     403    200  200      403     401   401      -        -
POST   /api/v0/wiki                                            201    201      201     403    201  201      403     401   401      -        -
GET    /api/v0/wiki/upload-access                              200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/wiki/history/{repoUrl}                          200    200      200     403    200  200      403     401   401      200      200
GET    /api/v0/wiki/{wikiRunId}                                200    200      200     403    200  200      403     401   401      404      404
DELETE /api/v0/wiki/{wikiRunId}                                200    200      200     403    200  200      403     401   401      404      404
GET    /api/v0/wiki/{wikiRunId}/pages/{pageId}                 200    200      200     403    200  200      403     401   401      404      404
GET    /api/v0/wiki/{wikiRunId}/search                         200    200      200     403    200  200      403     401   401      404      404
POST   /api/v0/wiki/{wikiRunId}/privacy                        200    200      200     403    200  200      403     401   401      404      404
GET    /api/v0/wiki/{wikiRunId}/export                         200    200      200     403    200  200      403     401   401      404      404
POST   /api/platform/v1/wiki/repositories/{repo_id}/generate   202    202      403     403    403  202      403     401   401      404      404
GET    /api/platform/v1/wiki/runs/{wikiRunId}                  200    200      200     403    200  200      403     401   401      404      404
POST   /api/platform/v1/wiki/runs/{wikiRunId}/cancel           409    409      409     403    409  409      403     401   401      404      404
GET    /api/platform/v1/wiki/runs/{wikiRunId}/difference/{other} 200  200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/wiki/runs/{wikiRunId}/ask              200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/wiki/runs/{wikiRunId}/files/{name}     200    200      200     403    200  200      403     401   401      404      404

GET    /api/v0/automations/ci/scan                             200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/automations/ci/repository-owners                200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/automations/ci/repositories                     200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/automations/ci/runs                             200    200      200     403    200  200      403     401   401      -        -
GET    /api/v0/automations/ci/jobs                             200    200      200     403    200  200      403     401   401      -        -
POST   /api/v0/automations/ci/edit                             200    200      403     403    403  200      403     401   401      -        -

GET    /api/organization/maturity-level-reports                200    200      200     403    200  200      403     401   401      400      400
POST   /api/organization/maturity-level-reports                201    201      201     403    201  201      403     401   401      -        -
GET    /api/organization/agent-readiness-reports               200    200      200     403    200  200      403     401   401      200      200
POST   /api/organization/agent-readiness-reports               201    201      201     403    201  201      403     401   401      -        -

GET    /api/v0/organization/users                              200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/members                                200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/members                                201    201      403     403    403  201      403     401   401      -        -
GET    /api/platform/v1/members/{user_id}                      200    200      403     403    403  200      403     401   401      404      404
PATCH  /api/platform/v1/members/{user_id}                      200    200      403     403    403  200      403     401   401      404      404
DELETE /api/platform/v1/members/{user_id}                      204    204      403     403    403  204      403     401   401      404      404
POST   /api/platform/v1/members/{user_id}/link                 201    201      403     403    403  201      403     401   401      404      404

GET    /api/platform/v1/people                                 200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/people/{user_id}                       200    200      403     403    403  200      403     401   401      404      404
POST   /api/platform/v1/people/{user_id}/merge                 200    200      403     403    403  200      403     401   401      404      404
POST   /api/platform/v1/people/{user_id}/unmerge               200    200      403     403    403  200      403     401   401      404      404
GET    /api/platform/v1/person-export                          200    403      403     403    403  403      403     401   401      -        -
GET    /api/platform/v1/erasures                               200    403      403     403    403  403      403     401   401      -        -
POST   /api/platform/v1/erasures                               202    403      403     403    403  403      403     401   401      -        -
GET    /api/platform/v1/erasures/{erasure_id}                  200    403      403     403    403  403      403     401   401      404      404
GET    /api/platform/v1/privacy                                200    200      403     403    403  200      403     401   401      -        -
PUT    /api/platform/v1/privacy                                200    403      403     403    403  403      403     401   401      -        -
GET    /api/platform/v1/retention                              200    200      403     403    403  200      403     401   401      -        -
PUT    /api/platform/v1/retention                              200    403      403     403    403  403      403     401   401      -        -
GET    /api/platform/v1/time-zone                              200    200      403     403    403  200      403     401   401      -        -
PUT    /api/platform/v1/time-zone                              200    403      403     403    403  403      403     401   401      -        -

GET    /api/platform/v1/service-accounts                       200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/service-accounts                       201    201      403     403    403  201      403     401   401      -        -
GET    /api/platform/v1/service-accounts/{service_account_id}  200    200      403     403    403  200      403     401   401      404      404
PATCH  /api/platform/v1/service-accounts/{service_account_id}  200    200      403     403    403  200      403     401   401      404      404
DELETE /api/platform/v1/service-accounts/{service_account_id}  204    204      403     403    403  204      403     401   401      404      404

GET    /api/platform/v1/identity-providers                     200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/identity-providers                     201    403      403     403    403  403      403     401   401      -        -
PATCH  /api/platform/v1/identity-providers/{name}              200    403      403     403    403  403      403     401   401      404      404
DELETE /api/platform/v1/identity-providers/{name}              204    403      403     403    403  403      403     401   401      404      404
POST   /api/platform/v1/identity-providers/{name}/test         503    503      403     403    403  503      403     401   401      404      404

GET    /api/platform/v1/keys                                   200    200      200     403    200  200      403     401   401      -        -
POST   /api/platform/v1/keys                                   201    201      201     403    403  201      403     401   401      -        -
GET    /api/platform/v1/keys/{key_id}                          200    200      200     403    200  200      403     401   401      404      404
DELETE /api/platform/v1/keys/{key_id}                          204    204      204     403    204  204      403     401   401      404      404
POST   /api/platform/v1/keys/{key_id}/revoke                   200    200      200     403    200  200      403     401   401      404      404

POST   /api/platform/v1/auth/token                             200    200      200     200    200  200      200     200   200      -        -
POST   /api/platform/v1/auth/join                              200    200      200     200    200  200      200     200   200      -        -
POST   /api/platform/v1/auth/refresh                           200    200      200     200    200  200      200     200   200      -        -
POST   /api/platform/v1/auth/sign-out                          204    204      204     204    204  204      204     204   204      -        -
GET    /api/platform/v1/auth/providers                         200    200      200     200    200  200      200     200   200      -        -
GET    /api/platform/v1/auth/oidc/{name}/start                 404    404      404     404    404  404      404     404   404      -        -
GET    /api/platform/v1/auth/oidc/{name}/callback              404    404      404     404    404  404      404     404   404      -        -

GET    /api/platform/v1/audit                                  200    403      403     403    403  403      403     401   401      -        -

GET    /api/platform/v1/costs                                  200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/costs/rates                            200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/costs/what-if                          200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/rates                                  200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/rates/import                           200    403      403     403    403  403      403     401   401      -        -
DELETE /api/platform/v1/rates/{origin}                         200    403      403     403    403  403      403     401   401      404      404

GET    /api/platform/v1/coverage                               200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/coverage/days                          200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/coverage/me                            200    200      200     200    200  200      403     401   401      -        -

GET    /api/platform/v1/sessions                               200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/sessions/{session_id}                  200    200      404     404    404  200      403     401   401      404      404
GET    /api/platform/v1/today                                  200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/me/today                               200    200      200     200    200  200      403     401   401      -        -
GET    /api/platform/v1/me/usage                               200    200      200     200    200  200      403     401   401      -        -
GET    /api/platform/v1/me/sessions                            200    200      200     200    200  200      403     401   401      -        -

GET    /api/platform/v1/limits                                 200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/limits/me                              200    200      200     200    200  200      403     401   401      -        -
PUT    /api/platform/v1/limits/service-accounts/{account_id}   200    200      403     403    403  200      403     401   401      404      404
GET    /api/platform/v1/alerts                                 200    200      200     200    200  200      403     401   401      -        -
GET    /api/platform/v1/alerts/destinations                    200    200      403     403    403  200      403     401   401      -        -
POST   /api/platform/v1/alerts/destinations                    201    201      403     403    403  201      403     401   401      -        -
GET    /api/platform/v1/alerts/destinations/{destination_id}   200    200      403     403    403  200      403     401   401      404      404
PATCH  /api/platform/v1/alerts/destinations/{destination_id}   200    200      403     403    403  200      403     401   401      404      404
DELETE /api/platform/v1/alerts/destinations/{destination_id}   204    204      403     403    403  204      403     401   401      404      404
POST   /api/platform/v1/alerts/destinations/{destination_id}/rotate 200 200    403     403    403  200      403     401   401      404      404
POST   /api/platform/v1/alerts/destinations/{destination_id}/test 202  202     403     403    403  202      403     401   401      404      404
POST   /api/platform/v1/alerts/destinations/{destination_id}/replay 200 200    403     403    403  200      403     401   401      404      404
GET    /api/platform/v1/alerts/deliveries                      200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/alerts/deliveries/{delivery_id}        200    200      403     403    403  200      403     401   401      404      404
POST   /api/platform/v1/alerts/deliveries/{delivery_id}/replay 202    202      403     403    403  202      403     401   401      404      404
GET    /api/platform/v1/limits/budgets                         200    200      403     403    403  200      403     401   401      -        -
PUT    /api/platform/v1/limits/budgets                         200    200      403     403    403  200      403     401   401      -        -
GET    /api/platform/v1/limits/budgets/{budget_id}             200    200      403     403    403  200      403     401   401      404      404
PUT    /api/platform/v1/limits/budgets/{budget_id}             200    200      403     403    403  200      403     401   401      404      404
DELETE /api/platform/v1/limits/budgets/{budget_id}             204    204      403     403    403  204      403     401   401      404      404
GET    /api/platform/v1/limits/effective                       200    200      200     200    200  200      200     401   401      -        -
GET    /api/platform/v1/limits/requests                        200    200      200     200    200  200      403     401   401      -        -
POST   /api/platform/v1/limits/requests                        201    201      201     201    201  201      201     401   401      404      404
POST   /api/platform/v1/limits/requests/{request_id}/approve   200    200      403     403    403  200      403     401   401      404      404
POST   /api/platform/v1/limits/requests/{request_id}/deny      200    200      403     403    403  200      403     401   401      404      404

GET    /api/platform/v1/readiness/reports/{report_id}          200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/readiness/reports/{report_id}/level    200    200      200     403    200  200      403     401   401      404      404
DELETE /api/platform/v1/readiness/reports/{report_id}          204    204      403     403    403  204      403     401   401      404      404
GET    /api/platform/v1/readiness/reports/{report_id}/fixes    200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/readiness/reports/{report_id}/difference 200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/readiness/repositories/{repo_id}/history 200    200      200     403    200  200      403     401   401      404      404
GET    /api/platform/v1/readiness/repositories/{repo_id}/badge.svg 200    200      200     403    200  200      403     401   401      404      404
POST   /api/platform/v1/readiness/repositories/{repo_id}/evaluate 202    202      403     403    403  202      403     401   401      404      404
GET    /api/platform/v1/readiness/criteria                     200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/readiness/repositories                 200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/readiness/organization                 200    200      200     403    200  200      403     401   401      -        -

POST   /api/platform/v1/repositories                           201    201      403     403    403  201      403     401   401      -        -
GET    /api/platform/v1/repositories                           200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/repositories/{repo_id}                 200    200      200     403    200  200      403     401   401      404      404
DELETE /api/platform/v1/repositories/{repo_id}                 204    204      403     403    403  204      403     401   401      404      404
PUT    /api/platform/v1/repositories/{repo_id}/credential      200    200      403     403    403  200      403     401   401      404      404
DELETE /api/platform/v1/repositories/{repo_id}/credential      204    204      403     403    403  204      403     401   401      404      404
POST   /api/platform/v1/repositories/{repo_id}/refresh         409    409      403     403    403  409      403     401   401      404      404
GET    /api/platform/v1/repositories/{repo_id}/files            409    409      409     403    409  409      403     401   401      404      404

GET    /api/platform/v1/ci/findings                            200    200      200     403    200  200      403     401   401      -        -
PUT    /api/platform/v1/ci/repositories/{repo_id}/findings/{fingerprint}/dismissal 204 204 403 403    403  204      403     401   401      404      404
DELETE /api/platform/v1/ci/repositories/{repo_id}/findings/{fingerprint}/dismissal 204 204 403 403    403  204      403     401   401      404      404

GET    /api/platform/v1/jobs                                   200    200      200     403    200  200      403     401   401      -        -
GET    /api/platform/v1/jobs/{job_id}                          200    200      200     403    200  200      403     401   401      404      404
POST   /api/platform/v1/jobs/{job_id}/cancel                   200    200      403     403    403  200      403     401   401      404      404
"""  # noqa: E501 - a table is read across


class Row(NamedTuple):
    method: str
    path: str
    status: dict[str, int]
    """By caller, for what is the caller's own organization's."""
    elsewhere: dict[str, int]
    """"foreign" and "unknown", where a resource is named."""

    @property
    def operation(self) -> str:
        return f"{self.method} {self.path}"


def rows() -> list[Row]:
    columns, *lines = [line.split() for line in TABLE.splitlines() if line.strip()]
    assert columns == [*CALLERS, "foreign", "unknown"]
    found = []
    for method, path, *cells in lines:
        by_column = dict(zip(columns, cells, strict=True))
        status = {caller: int(by_column[caller]) for caller in CALLERS}
        elsewhere = {
            name: int(by_column[name]) for name in ("foreign", "unknown") if by_column[name] != "-"
        }
        found.append(Row(method, path, status, elsewhere))
    return found
