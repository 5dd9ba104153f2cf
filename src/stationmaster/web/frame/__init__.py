"""What every page shares: its HTML, who is looking, the menu, errors, own files, lists."""
