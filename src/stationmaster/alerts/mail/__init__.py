"""Mail over SMTP: texts and recipients, waiting durably until a server takes it.

It knows messages, the outbox and the mail server. It never sends within a request, and never stores
or logs a message that can be read.
"""
