"""Files of settings that a product ships."""
