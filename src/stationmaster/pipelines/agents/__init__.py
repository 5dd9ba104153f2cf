"""Coding agents in workflows: which steps run one, with what options."""
