"""Computers: sessions on them, pairing, history, remote access."""
