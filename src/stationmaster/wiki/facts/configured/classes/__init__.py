"""Settings that classes and enums of a project hold: by setters, by fields, by members."""
