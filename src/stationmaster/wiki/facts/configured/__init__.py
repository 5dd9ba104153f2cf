"""What is configured from outside, as languages and frameworks have it each in their own way."""
