"""Machines as data and what follows from them: loading, the closed form, pictures."""

from onehop.netsim.platform import Platform, Protocol, Stage, TransferPath
from onehop.netsim.platform_file import shipped
from onehop.netsim.platform_reader import load
from onehop.netsim.quantity import Quantity

__all__ = ["Platform", "Protocol", "Quantity", "Stage", "TransferPath", "load", "shipped"]
