"""Settings that classes and enums hold."""
