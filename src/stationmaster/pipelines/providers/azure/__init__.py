"""Azure Pipelines."""
