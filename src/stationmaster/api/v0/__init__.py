"""Operations under `/api/v0`, one file per path segment."""
