"""What decides on requests beside the guards that routes name: functions around handlers, rights
that calls tell by name."""
