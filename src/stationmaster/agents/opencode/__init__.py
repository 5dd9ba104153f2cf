"""OpenCode: its database, its older JSON files, its own spans, what a plugin exports, our plugin.

Knows the vendor's names and which sources share identities. Must never pass on a prompt, a command,
a path or an output, all of which its spans and its database hold in full.
"""
