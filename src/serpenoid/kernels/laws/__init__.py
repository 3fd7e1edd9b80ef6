"""Control laws that are compiled."""
