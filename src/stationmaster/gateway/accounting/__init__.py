"""What a call uses and costs: bounds before it, figures after it."""
