"""How long tests wait for what must happen."""

PATIENCE_S = 120
"""Of what happens at once on a quiet machine: a busy one may need so long, and a wait that ends
sooner fails a test that is right. Each test as a whole ends after 300 seconds."""
