"""`python -m onehop` is the same as `onehop`."""

from onehop.cli import entry

entry()
