"""Work outside requests: moving, rolling up, jobs, alerts, managed computers."""
