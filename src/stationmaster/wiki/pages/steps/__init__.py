"""What happens step by step: functions, and the calls between them."""
