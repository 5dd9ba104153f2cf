"""The relay as a laptop and a computer use it: the agent of a computer, tunnels, SSH.

It dials out only, and knows nothing of what runs on the server.
"""
