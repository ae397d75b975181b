"""What several commands have."""
