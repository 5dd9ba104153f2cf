"""What is wrong or risky in workflows: rules with a severity, a place and a remedy."""
