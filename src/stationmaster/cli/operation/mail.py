"""`mail`: trying the settings of the mail server."""

from __future__ import annotations

from stationmaster import ids
from stationmaster.access.model import email_of
from stationmaster.alerts.mail import smtp
from stationmaster.cli import groups
from stationmaster.cli.configuring import configure
from stationmaster.cli.printing import output

mail = groups.group()


@mail.command("test")
def send_test(address: str) -> None:
    """Send a short message to an address now, and show whether the mail server accepts it."""
    settings = configure()
    text = "This is a test. The settings of Stationmaster's mail work.\n"
    message = smtp.MailMessage((email_of(address),), "Test of Stationmaster's mail", text)
    smtp.send(settings, message, ids.new_sortable("mail"))
    output.remark(f"{settings.smtp_host} accepted a message for {address}.")
