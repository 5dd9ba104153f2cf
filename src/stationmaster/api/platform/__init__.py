"""Operations under `/api/platform/v1`: our own beside the specification, a file per subject."""
