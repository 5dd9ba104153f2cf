"""The events of a day as the queries need them: read, identified, matched, priced."""
