"""Events that cannot be counted: finding them, setting them aside, damaged parts."""
