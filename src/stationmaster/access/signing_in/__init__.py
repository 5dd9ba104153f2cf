"""Signing in: passwords, one-time links, sessions, tokens, and issuers of OpenID Connect."""
