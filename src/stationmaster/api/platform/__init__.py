"""Operations under `/api/platform/v1`: our own in addition to the specification, a file per
subject."""
