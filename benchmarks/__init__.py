"""Measurements against limits and peers in the same run. `python -m benchmarks [NAME…]`."""
