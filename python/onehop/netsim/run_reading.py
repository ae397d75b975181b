"""Reads what limited a simulated run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onehop import _core

_HOTTEST = 10


def reading(run: _core.VirtualAccounts, duration_ps: int) -> dict:
    """Returns account, stages and hottest links; `share` is of the whole time, of the busiest
    node."""
    account = run.account
    links = run.links()
    stages = [
        {
            "name": stage.name,
            "served": stage.served,
            "share": stage.busiest_node_ps / max(duration_ps, 1),
            "busy_us": stage.busy_ps * 1e-6,
            "mean_wait_us": stage.waited_ps * 1e-6 / max(stage.served, 1),
            "longest_wait_us": stage.longest_wait_ps * 1e-6,
        }
        for stage in run.stages
        if stage.served
    ]
    order = np.argsort(-links["busy_ps"], kind="stable")[:_HOTTEST]
    hottest = [_link(links, int(k), duration_ps) for k in order if links["packets"][k]]
    bounds = [(s["share"], f"stage {s['name']}") for s in stages]
    bounds += [(link["share"], f"link {link['from']} to {link['to']}") for link in hottest[:1]]
    share, name = max(bounds, default=(0.0, "nothing"))
    return {
        "packet_hops": account.packet_hops,
        "events": account.events,
        "packets": account.packets_made,
        "messages": account.messages_delivered,
        "bytes": account.bytes_delivered,
        "retransmissions": account.retransmissions,
        "packets_marked": account.packets_marked,
        "notifications": account.notifications,
        "most_events_pending": account.most_events_pending,
        "network_mib": account.memory_bytes / 2**20,
        "bounded_by": {"what": name, "share": share},
        "stages": stages,
        "hottest_links": hottest,
        "mean_link_share": float(links["busy_ps"].mean() / max(duration_ps, 1))
        if len(links["busy_ps"])
        else 0.0,
        "deepest_queue": int(links["deepest_queue"].max(initial=0)),
    }


def _link(links: dict, k: int, duration_ps: int) -> dict:
    return {
        "from": int(links["origin"][k]),
        "to": int(links["target"][k]),
        "port": int(links["port"][k]),
        "packets": int(links["packets"][k]),
        "share": int(links["busy_ps"][k]) / max(duration_ps, 1),
        "mean_wait_us": int(links["waited_ps"][k]) * 1e-6 / int(links["packets"][k]),
        "deepest_queue": int(links["deepest_queue"][k]),
    }
