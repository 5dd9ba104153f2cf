"""What there is to explain: which subjects a repository has, and what belongs to each."""
