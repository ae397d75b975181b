"""`onehop app`: programs on onehop's public headers, each a command of its own."""

from onehop.cli._shared.group import group

APPS = {
    "echo": "Round trip of a message, with a copy and a kernel at the receiver: what each adds.",
    "event-stream": "A trigger: sources send events to consumers, which decide before a deadline.",
    "graph-search": "Graph500: breadth-first searches of a large graph, each validated.",
    "lattice-boltzmann": "One fluid or two in 3D, D3Q19: vortices, channels, droplets, bubbles.",
    "particle-in-cell": "Electrons and their field: waves, beams, orbits, heat, a laser's wake.",
    "particle-offload": "A worker pushes particles, chunk by chunk, in rotating buffers.",
    "spiking-network": "Neurons in columns that send spikes with delays, and learn from them.",
    "spin-glass": "A Heisenberg spin glass in three dimensions: over-relaxation and heatbath.",
}
COMMAND = group("app", APPS, "application", work="_run")
