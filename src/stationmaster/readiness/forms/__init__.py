"""Reports as text: Markdown, HTML, rows, a badge, one document."""
