"""The text of a small platform file, which tests change line by line."""

GOOD = """
format = 1
name = "mine"
title = "t"
about = "a"
variant = "direct"
[topology]
kind = "ring"
extents = { value = [4], unit = "nodes", state = "assumed", source = "test" }
nodes_most = { value = 8, unit = "nodes", state = "assumed", source = "test" }
[wire]
rate = { value = 1.0, unit = "GB/s", state = "assumed", source = "test" }
packet = { value = 256, unit = "byte", state = "assumed", source = "test" }
latency = { value = 100, unit = "ns", state = "assumed", source = "test" }
[stage.post]
kind = "software"
cost = { value = 1.0, unit = "us", state = "assumed", source = "test" }
[path.put]
origin = ["post"]
target = []
[protocol]
put = { variant = "direct", from = "host", to = "host", path = "put" }
"""
