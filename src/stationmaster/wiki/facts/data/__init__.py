"""What is stored: tables and their columns, by schemas, migrations and models."""
