"""Variables of the environment that code asks for through functions and modules of its own."""
