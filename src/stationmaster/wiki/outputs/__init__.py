"""A wiki as files for other places: a folder of Markdown, a GitHub wiki, an index for programs.

Everything but `sync` is a function from pages to contents by file name.
"""
