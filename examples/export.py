"""Evolve a player, and export it as one file that does not need this project."""

import subprocess
import sys

import evolve_arena as ea

small = {"run.generations": 20, "check.games": 200}
run = ea.start("tic-tac-toe-evolved", run="evolved/small-tic-tac-toe", seed=1, changes=small)

# Other targets: c, html (a page to play against), onnx, botzone, pettingzoo, openspiel.
file = ea.export(run.champion, "python", "champion.py")
print(f"{file}: {file.stat().st_size:,} bytes")

# The file is a module and a program; here another process lets it play a game against itself.
game = """
from champion import choose, play, result, start

state = start()
while result(state) is None:
    state = play(state, choose(state))
print("cells:", state[:9], "result for both:", result(state))
"""
subprocess.run([sys.executable, "-c", game], check=True, timeout=60)
