"""What is built or deployed by itself, and of which kind it is."""
