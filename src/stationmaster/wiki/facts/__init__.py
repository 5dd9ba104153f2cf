"""All that a wiki states: what is read of a commit, linked and counted. Pages ask it questions."""
