"""Rows as JSON, CSV, NDJSON and Parquet, and answers as bytes."""
