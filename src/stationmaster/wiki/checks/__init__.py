"""Is a wiki true: do its links have a target, do its citations name lines that exist?"""
