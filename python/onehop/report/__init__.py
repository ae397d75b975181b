"""Makes one static page from records: answers, curves, models, rooflines, time splits, scaling."""
