"""What a simulated run was bounded by, as a table."""

from __future__ import annotations


def show(record: dict) -> None:
    options = record["options"]
    shape = "x".join(map(str, options["nodes"]))
    print(
        f"{options['platform']}, {shape} nodes, {options['message_bytes']} bytes to each neighbour,"
        f" protocol {record['protocol']}"
    )
    print(f"  step              {record['step_us']:.3f} us (virtual)")
    print(f"  bounded by        {record['bounded_by']['what']},", end=" ")
    print(f"busy for {record['bounded_by']['share']:.0%} of the time")
    hops = record["packet_hops"]
    rate = hops / max(record["cpu_s"], 1e-9) * 1e-6
    print(f"  packet-hops       {hops}, {record['events']} events")
    print(
        f"  this computer     {record['cpu_s']:.2f} s CPU, {rate:.2f} million packet-hops/s,",
        end="",
    )
    print(f" {record['peak_rss_mib']:.0f} MiB")
    show_load(record)


def show_load(record: dict) -> None:
    """Stages and the hottest links, each with how long it was busy and waited for."""
    print(f"\n  {'stage':20}{'served':>10}{'busy':>8}{'mean wait':>12}{'longest wait':>14}")
    for stage in record["stages"]:
        print(
            f"  {stage['name']:20}{stage['served']:>10}{stage['share']:>8.1%}"
            f"{stage['mean_wait_us']:>9.2f} us{stage['longest_wait_us']:>11.2f} us"
        )
    print(
        f"\n  {'hottest links':20}{'packets':>10}{'busy':>8}{'mean wait':>12}{'deepest queue':>14}"
    )
    for link in record["hottest_links"][:5]:
        name = f"{link['from']} to {link['to']}"
        print(
            f"  {name:20}{link['packets']:>10}{link['share']:>8.1%}"
            f"{link['mean_wait_us']:>9.2f} us{link['deepest_queue']:>14}"
        )
    print(f"  {'mean of all links':30}{record['mean_link_share']:>8.1%}")
