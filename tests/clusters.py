"""Clusters of Ray for tests, on this machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import ray
from ray.cluster_utils import Cluster

from evolve_arena.arena.executors.cluster import connect

HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 2,
}
"""A node that is killed is missed at once."""


@contextmanager
def two_nodes_of(cores: int, second: str | None = None) -> Iterator[Cluster]:
    """Yield two nodes of so many *cores*, to which this process is connected.

    Nodes replace the handler of SIGTERM by one that crashes forked processes; it is put back.
    """
    before = signal.getsignal(signal.SIGTERM)
    head = {"num_cpus": cores, "include_dashboard": False, "_system_config": HEALTH}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        made.add_node(num_cpus=cores, **({"node_name": second} if second else {}))
        signal.signal(signal.SIGTERM, before)
        with connect(made.address):
            yield made
    finally:
        ray.shutdown()
        made.shutdown()
