"""Alerts of an organization: what is raised once a period, where it is sent, and every delivery.

It knows alerts, destinations, formats and retries. It never sends within a request or within the
transaction that raises an alert, decides nothing about limits, and names a person only where the
organization shows people by name, or to that person. `mail` carries every message of the
installation.
"""
