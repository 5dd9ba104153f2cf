"""Hooks of agents: installing them, running, and asking whether work may go on."""
