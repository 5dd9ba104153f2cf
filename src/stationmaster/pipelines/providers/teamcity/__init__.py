"""TeamCity: build configurations in Kotlin or XML."""
