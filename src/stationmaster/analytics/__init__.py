"""The five published reports and the six on facts: which days may be asked for, how rows are
grouped and paged, how they export.

Reads finished documents from `rollups` and joins their bytes; about parts of a day it has stored
slices folded and rendered by `aggregate`. It never computes a metric itself, never looks into a
document to answer JSON, and never answers a closed day that is not rolled up.
"""
