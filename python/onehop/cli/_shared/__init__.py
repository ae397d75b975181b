"""Several commands share these modules."""
