"""One module per CI system: which paths are its workflows, and what stands in them."""
