"""How commands print: JSON, tables, remarks, and the answers that have a form of their own."""
