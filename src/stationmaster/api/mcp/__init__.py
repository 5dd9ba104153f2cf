"""Tools for agents over the Model Context Protocol: wikis, readiness, findings, one's own limits.

Every tool calls operations of the API with the caller's own credential, so that rights, privacy and
limits are those of the API. It must never store anything, and changes nothing but by the one tool
that requests more of a budget.
"""
