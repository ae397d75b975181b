"""Makes one static page from records: curves, models, rooflines, time splits, scaling."""
