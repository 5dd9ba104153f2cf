"""Is a wiki true: do its links lead somewhere, do its citations stand where they say?"""
