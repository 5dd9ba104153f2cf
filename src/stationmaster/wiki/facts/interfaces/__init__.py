"""What others call or configure: routes, contracts, entities, settings."""
