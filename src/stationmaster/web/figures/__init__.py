"""What pages of figures are made of: filters, reports, cards, charts and tables."""
