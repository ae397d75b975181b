"""What the reader's program has: two tables in windows, a configuration, quarks, fields."""

import numpy as np

import onehop

context = onehop.join()
right = 0
table = np.zeros((4, 6))
window = onehop.Window.register(context, table)
chain = onehop.PutChain(context, window)
particles = np.zeros((3, 2))
offsets = np.array([0, 48, 144])

gauge = onehop.read_gauge("b6.0.nersc")
light = onehop.solve(gauge, onehop.Wilson(kappa=0.13))
strange = onehop.solve(gauge, onehop.Wilson(kappa=0.125))
x = np.ones((16, 4, 4, 4, 4, 3), np.complex128)


def my_chain(context):
    """Returns a chain that puts eight bytes into this rank's own window."""
    to_itself = onehop.Window.register(context, np.zeros(1))
    made = onehop.PutChain(context, to_itself)
    made.push(np.zeros(1), 0, 0)
    made.add_origin(0)
    made.commit()
    return made
