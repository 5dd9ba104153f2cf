"""The pages of computers, of their sessions, and of pairing."""
