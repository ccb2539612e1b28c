"""Młokosiewicz's thesis: Q-learning of Connect Four, here with the settings of its program."""

RECIPES = dict.fromkeys(
    (".config", ".json"), "evolve_arena.studies.q_learning.q_learning:convert_settings"
)

LEARNERS = {"connect-four": {"q-learning": "evolve_arena.studies.q_learning.q_learning:QLearning"}}
