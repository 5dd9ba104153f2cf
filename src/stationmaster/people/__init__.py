"""Who is who in an organization: members, people who are seen in telemetry only, and which are one.

It decides nothing about who may do what, and never changes an event: a merge restates days.
"""
