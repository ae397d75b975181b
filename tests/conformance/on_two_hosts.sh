#!/bin/sh
# on_two_hosts.sh PROGRAM ...: under mpirun, even and odd ranks believe that they are on different
# hosts, so that some share memory and others do not.
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:?"start this under mpirun"}}
ONEHOP_NODE=host$((rank % 2))
export ONEHOP_NODE
exec "$@"
