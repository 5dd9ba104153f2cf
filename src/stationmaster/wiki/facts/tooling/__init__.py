"""How the product is built, tested, checked and shipped."""
