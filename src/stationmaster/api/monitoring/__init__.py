"""What operators see: health, metrics, and alerts by mail."""
