"""Who may see what: the status of every page and form, for people signed in and for anybody."""

from __future__ import annotations

PAGES = """
                                                               owner  manager  member  guest  nobody

GET    /sign-in                                                200    200      200     200    200
POST   /sign-in                                                400    400      400     400    400
GET    /sign-in/{token}                                        401    401      401     401    401
GET    /join/{token}                                           401    401      401     401    401
POST   /join/{token}                                           401    401      401     401    401
GET    /                                                       200    200      303     303    303
GET    /spend                                                  200    200      403     403    303
GET    /spend/what-if                                          200    200      403     403    303
POST   /spend/what-if                                          400    400      403     403    303
GET    /use                                                    200    200      403     403    303
GET    /output                                                 200    200      403     403    303
GET    /repositories                                           200    200      200     403    303
POST   /repositories                                           400    400      403     403    303
GET    /repositories/{repo_id}                                 303    303      303     303    303
POST   /repositories/{repo_id}/refresh                         404    404      403     403    303
GET    /repositories/{repo_id}/settings                        404    404      403     403    303
POST   /repositories/{repo_id}/credential                      404    404      403     403    303
GET    /repositories/{repo_id}/remove                          404    404      403     403    303
POST   /repositories/{repo_id}/remove                          404    404      403     403    303
GET    /repositories/{repo_id}/ci                              404    404      404     403    303
POST   /repositories/{repo_id}/ci/{fingerprint}/dismiss        400    400      403     403    303
POST   /repositories/{repo_id}/ci/{fingerprint}/reopen         404    404      403     403    303
GET    /repositories/{repo_id}/cost                            404    404      404     403    303
GET    /repositories/{repo_id}/files                           404    404      404     403    303
GET    /repositories/{repo_id}/readiness                       404    404      404     403    303
GET    /repositories/{repo_id}/wiki                            404    404      404     403    303
POST   /repositories/{repo_id}/wiki                            404    404      403     403    303
GET    /wiki                                                   200    200      200     403    303
GET    /wiki/{run_id}                                          404    404      404     403    303
GET    /wiki/{run_id}/difference                               404    404      404     403    303
GET    /wiki/{run_id}/{page_id}                                404    404      404     403    303
GET    /people                                                 200    200      403     403    303
GET    /teams                                                  200    200      403     403    303
GET    /me                                                     200    200      200     200    303
GET    /people/{person_id}                                     404    404      403     403    303
GET    /teams/{team:path}                                      200    200      403     403    303
GET    /sessions                                               200    200      200     200    303
GET    /sessions/{session_id}                                  404    404      404     404    303
GET    /limits/budgets/new                                     200    200      403     403    303
POST   /limits/budgets/new                                     400    400      403     403    303
GET    /limits/budgets/{budget_id}                             404    404      403     403    303
POST   /limits/budgets/{budget_id}                             404    404      403     403    303
GET    /limits/budgets/{budget_id}/remove                      404    404      403     403    303
POST   /limits/budgets/{budget_id}/remove                      404    404      403     403    303
GET    /limits/own                                             200    200      200     200    303
POST   /limits/own                                             400    400      400     400    303
GET    /limits/requests/{request_id}                           404    404      403     403    303
POST   /limits/requests/{request_id}/approve                   404    404      403     403    303
POST   /limits/requests/{request_id}/deny                      404    404      403     403    303
GET    /limits                                                 200    200      200     200    303
GET    /limits/organization                                    200    200      403     403    303
POST   /limits/organization                                    400    400      403     403    303
GET    /limits/organization/remove                             200    200      403     403    303
POST   /limits/organization/remove                             303    303      403     403    303
GET    /limits/{principal_id}                                  404    404      403     403    303
POST   /limits/{principal_id}                                  404    404      403     403    303
GET    /limits/{principal_id}/remove                           404    404      403     403    303
POST   /limits/{principal_id}/remove                           404    404      403     403    303
GET    /search                                                 200    200      200     200    303
GET    /computers                                              200    200      200     403    303
GET    /computers/pair                                         200    200      200     403    303
POST   /computers/pair                                         404    404      404     403    303
POST   /computers/pair/approve                                 404    404      404     403    303
GET    /computers/new                                          200    200      200     403    303
POST   /computers/new                                          501    501      501     403    303
POST   /computers/access                                       400    400      400     403    303
GET    /computers/secrets                                      200    200      403     403    303
POST   /computers/secrets                                      400    400      403     403    303
GET    /computers/secrets/{name}/remove                        404    404      403     403    303
POST   /computers/secrets/{name}/remove                        303    303      403     403    303
GET    /computers/{computer_id}                                404    404      404     403    303
POST   /computers/{computer_id}                                404    404      404     403    303
GET    /computers/{computer_id}/remove                         404    404      404     403    303
POST   /computers/{computer_id}/remove                         404    404      404     403    303
POST   /computers/{computer_id}/retry                          404    404      404     403    303
GET    /computers/{computer_id}/sessions                       404    404      404     403    303
POST   /computers/{computer_id}/sessions                       404    404      404     403    303
GET    /computers/{computer_id}/sessions/{session_id}          404    404      404     403    303
POST   /computers/{computer_id}/sessions/{session_id}/prompts  404    404      404     403    303
POST   /computers/{computer_id}/sessions/{session_id}/permissions/{permission} 404 404 404 403 303
POST   /computers/{computer_id}/sessions/{session_id}/cancel   404    404      404     403    303
POST   /computers/{computer_id}/sessions/{session_id}/stop     404    404      404     403    303
POST   /computers/{computer_id}/sessions/{session_id}/ticket   404    404      404     403    303
POST   /computers/{computer_id}/sessions/{session_id}/updates  404    404      404     403    303
GET    /coverage                                               200    200      403     403    303
GET    /connect                                                200    200      200     403    303
POST   /connect                                                404    404      404     403    303
GET    /connect/{key_id}                                       404    404      404     404    303
GET    /settings/api-keys                                      200    200      200     200    303
POST   /settings/api-keys                                      404    404      403     403    303
POST   /settings/api-keys/many                                 400    400      403     403    303
GET    /settings/api-keys/{key_id}/revoke                      404    404      404     404    303
POST   /settings/api-keys/{key_id}/revoke                      404    404      404     404    303
GET    /settings/members                                       200    200      403     403    303
POST   /settings/members                                       400    400      403     403    303
POST   /settings/members/{user_id}/role                        400    400      403     403    303
POST   /settings/members/{user_id}/link                        404    404      403     403    303
GET    /settings/members/{user_id}/remove                      404    404      403     403    303
POST   /settings/members/{user_id}/remove                      404    404      403     403    303
GET    /settings/members/{user_id}/erase                       404    403      403     403    303
POST   /settings/members/{user_id}/erase                       404    403      403     403    303
GET    /settings/organization                                  200    200      403     403    303
POST   /settings/organization/time-zone                        400    403      403     403    303
POST   /settings/organization/privacy                          400    403      403     403    303
GET    /settings/organization/retention                        200    403      403     403    303
POST   /settings/organization/retention                        303    403      403     403    303
GET    /settings/sign-in                                       200    200      403     403    303
POST   /settings/sign-in                                       400    403      403     403    303
GET    /settings/sign-in/{name}                                404    403      403     403    303
POST   /settings/sign-in/{name}                                404    403      403     403    303
POST   /settings/sign-in/{name}/test                           404    404      403     403    303
GET    /settings/sign-in/{name}/remove                         404    403      403     403    303
POST   /settings/sign-in/{name}/remove                         404    403      403     403    303
POST   /settings/organization/prices                           400    403      403     403    303
GET    /settings/organization/prices/{origin}/remove           404    403      403     403    303
POST   /settings/organization/prices/{origin}/remove           404    403      403     403    303
GET    /settings/service-accounts                              200    200      403     403    303
POST   /settings/service-accounts                              400    400      403     403    303
POST   /settings/service-accounts/{account_id}/{action}        404    404      403     403    303
GET    /settings/service-accounts/{account_id}/remove          404    404      403     403    303
GET    /settings/alerts                                        200    200      403     403    303
POST   /settings/alerts                                        400    400      403     403    303
POST   /settings/alerts/{destination_id}/{action}              404    404      403     403    303
GET    /settings/alerts/{destination_id}/remove                404    404      403     403    303
GET    /settings/alerts/deliveries/{delivery_id}               404    404      403     403    303
POST   /settings/alerts/deliveries/{delivery_id}/replay        404    404      403     403    303
GET    /settings/audit                                         200    403      403     403    303
GET    /settings/jobs                                          200    200      200     403    303
POST   /settings/jobs/{job_id}/cancel                          404    404      403     403    303
GET    /reference                                              200    200      200     200    303
GET    /reference/{slug}                                       404    404      404     404    303
GET    /install                                                200    200      200     200    200
POST   /sign-out                                               303    303      303     303    303
"""
"""The status of each page and of the target of each form for people who are signed in, and for who
is not: without parameters, or about something that does not exist. 303 leads to where somebody may
go: to signing in, to the page on which they begin, or to what a form has done."""


def pages() -> dict[tuple[str, str], dict[str, int]]:
    """The status of each page and form, by method and address, by who asks."""
    columns, *lines = [line.split() for line in PAGES.splitlines() if line.strip()]
    return {
        (method, path): dict(zip(columns, map(int, cells), strict=True))
        for method, path, *cells in lines
    }
