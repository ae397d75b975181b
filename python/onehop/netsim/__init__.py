"""Machines as data, from which the closed form, the simulation and pictures follow.

Names are imported when first used, since the classes of tables take a while to import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onehop.netsim.platform import Platform
    from onehop.netsim.platform_file import load, shipped
    from onehop.netsim.platform_tables import Protocol, TransferPath
    from onehop.netsim.quantity import Quantity
    from onehop.netsim.stage_tables import Stage

_MODULE_OF = {
    "Platform": "platform",
    "Protocol": "platform_tables",
    "Quantity": "quantity",
    "Stage": "stage_tables",
    "TransferPath": "platform_tables",
    "load": "platform_file",
    "shipped": "platform_file",
}

__all__ = ["Platform", "Protocol", "Quantity", "Stage", "TransferPath", "load", "shipped"]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'onehop.netsim' has no attribute '{name}'")
    return getattr(importlib.import_module(f"onehop.netsim.{_MODULE_OF[name]}"), name)
