"""Pages under the application address: signing in, API keys, members.

Plain HTML that needs no script to work; it shows what rooms below know and decides nothing.
"""
