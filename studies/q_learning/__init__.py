"""Młokosiewicz (2016): Q-learning of Connect Four, also from settings of the original program."""

RECIPES = dict.fromkeys(
    (".config", ".json"), "evolve_arena.studies.q_learning.q_learning:convert_settings"
)

LEARNERS = {"connect-four": {"q-learning": "evolve_arena.studies.q_learning.q_learning:QLearning"}}
