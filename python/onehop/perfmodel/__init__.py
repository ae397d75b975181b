"""Models of communication time are fitted here: Hockney, LogGP, PLogP, stages."""
