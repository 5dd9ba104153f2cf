"""From the lake to finished documents: metrics in plain SQL, the engine that runs them, restating.

The SQL under `sql/` counts, an engine runs it unchanged, `report_rows` does the last arithmetic
exactly, so that the same events give the same bytes on every engine and in every order. It must
never touch a day that is not over, and never change the lake.
"""
