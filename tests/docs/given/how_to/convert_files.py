import onehop  # noqa: F401
