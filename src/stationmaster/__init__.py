"""Stationmaster: the self-hosted platform on which an organization runs its AI coding agents."""

__version__ = "0.1.0"
