"""Machines as data and what follows from them: loading, the closed form, pictures."""

from onehop.netsim.platform import Platform
from onehop.netsim.platform_file import load, shipped
from onehop.netsim.platform_tables import Protocol, TransferPath
from onehop.netsim.quantity import Quantity
from onehop.netsim.stage_tables import Stage

__all__ = ["Platform", "Protocol", "Quantity", "Stage", "TransferPath", "load", "shipped"]
