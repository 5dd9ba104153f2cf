"""Sessions of coding agents on this computer: starting, holding and stopping their processes, and
answering the server's questions about them.

It starts only the agents and works only in the folders that the machine's owner allows, and keeps
what passes in memory alone.
"""
