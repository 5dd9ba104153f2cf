"""Operations under `/api/v0`, by path segment."""
