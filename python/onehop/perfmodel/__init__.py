"""Models of communication time and their fits: Hockney, LogGP, PLogP, stages."""
