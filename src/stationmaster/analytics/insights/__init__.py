"""Reports other than the five, from the facts of days: edits, runs of tools, errors, caches,
spending.

They have the dates, filters, forms and privacy of the five. Rows are of days, weeks or months.
"""
