"""Files of settings that a product ships to be copied or edited, and what they say of each key."""
