"""Costs in US dollars: prices, sums, bills, and what another rate card would make of them."""
