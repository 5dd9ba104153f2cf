"""Charts as SVG made on the server, each with a table of the same numbers.

Knows how to draw series of days and how to write figures; knows nothing of reports, and never
decides what is shown.
"""
