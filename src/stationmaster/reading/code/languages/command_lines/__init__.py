"""What readers of command lines of all languages share: how options are typed, and what keeps
commands that other functions and files add to."""
