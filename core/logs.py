"""What goes on, told through Python's ``logging``: the logger ``evolve_arena``.

Who uses the package as a library hears nothing unless he adds a handler. The command line adds
one for ``--verbose`` and ``--log``, and a run writes its own ``evolve.log``; see
`evolve_arena.runs.logs`.
"""

from __future__ import annotations

import logging

LOG = logging.getLogger("evolve_arena")
"""Levels: WARNING for what somebody should mend, INFO for the steps of a run, DEBUG for caches,
compiling and workers."""

LOG.addHandler(logging.NullHandler())
