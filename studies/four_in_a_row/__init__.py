"""Dragan and Izert (2016): neuroevolution for Connect Four, reproduced."""
