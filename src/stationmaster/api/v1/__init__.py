"""Operations under `/api/v1`, one file per path segment."""
