"""Jenkins: pipelines in Groovy."""
