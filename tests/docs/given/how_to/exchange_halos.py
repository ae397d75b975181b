import onehop  # noqa: F401

steps = 2
