"""Operations under `/api/v1`, by path segment."""
