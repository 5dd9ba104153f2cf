"""What is known of repositories: names of folders and files, packages, manifests, commands."""
