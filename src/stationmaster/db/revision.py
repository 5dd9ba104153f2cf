"""The schema revision of this version, known without loading the migrations; a test compares."""

HEAD = "0013"
