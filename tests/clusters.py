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


KEPT: list[object] = []
"""All nodes. A forked process may drop what Ray has registered for the end of a process, and crash
if that destroys a node, whose threads it does not have."""


class Nodes(Cluster):
    """A cluster whose nodes do no harm to forked processes."""

    def add_node(self, *args: object, **options: object) -> object:
        """Add a node, as `ray.cluster_utils.Cluster` does, but leave the handler of SIGTERM."""
        before = signal.getsignal(signal.SIGTERM)
        try:
            KEPT.append(super().add_node(*args, **options))
        finally:
            signal.signal(signal.SIGTERM, before)
        return KEPT[-1]


@contextmanager
def two_nodes_of(cores: int, second: str | None = None) -> Iterator[Nodes]:
    """Yield two nodes of so many *cores*, to which this process is connected."""
    head = {"num_cpus": cores, "include_dashboard": False, "_system_config": HEALTH}
    made = Nodes(initialize_head=True, head_node_args=head)
    try:
        made.add_node(num_cpus=cores, **({"node_name": second} if second else {}))
        with connect(made.address):
            yield made
    finally:
        ray.shutdown()
        made.shutdown()
