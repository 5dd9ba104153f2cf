"""Pairs the socket of a client with a socket of a computer, and copies bytes between them.

It reads no byte of what it copies, keeps none, and decides nothing about who may connect.
"""
