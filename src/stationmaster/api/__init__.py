"""HTTP in JSON: the application, the caller behind a request, error bodies, the description.

Routes take the caller, call one verb of a room below and shape the body. Rules live below; the
only place that turns an error into a body is `errors`.
"""
