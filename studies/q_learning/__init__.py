"""Młokosiewicz (2016): Q-learning for Connect Four, also with the original program's settings."""

RECIPES = dict.fromkeys(
    (".config", ".json"), "evolve_arena.studies.q_learning.q_learning:convert_settings"
)

LEARNERS = {"connect-four": {"q-learning": "evolve_arena.studies.q_learning.q_learning:QLearning"}}
