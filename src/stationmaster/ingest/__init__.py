"""OTLP and event batches in, attributed canonical events out: what is between HTTP and lake.

It decodes, bounds and refuses; agent modules define what a record means. It must never write a raw
body anywhere, trust a user named by a body over the caller's credential, or touch HTTP itself.
"""
