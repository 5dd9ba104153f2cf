"""What tests of several rooms share: databases, builders, recordings."""
