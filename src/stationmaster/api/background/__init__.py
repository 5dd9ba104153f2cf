"""Work beside requests: moving, rolling up, jobs, alerts, managed computers."""
