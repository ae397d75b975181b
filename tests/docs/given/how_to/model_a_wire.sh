# The record of what was before the change that a reader watches.
onehop bench halo --faces 2 --sizes 96,24576 --json main.json
