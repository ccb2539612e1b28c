"""Evolve a Connect Four player, stop, resume, and examine the result.

A population of networks plays against itself; every few generations the champion is checked against
players from outside. ``evolve start connect-four`` does the same with a live view.
"""

import evolve_arena as ea

# A recipe ships for each game; these values make the run small enough for an example.
changes = {"method.individuals": 30, "check.every": 5, "check.games": 200}
run = ea.start("connect-four", run="evolved/small", generations=10, seed=1, changes=changes)
print(run)

# A run is a folder. It resumes bit-identically where it stopped, in this process or another one.
run = ea.resume("evolved/small", generations=15)
for check in run.checks():
    low, high = check.wilson_95
    print(
        f"generation {check.generation}: {check.won:.2f} [{low:.2f}, {high:.2f}]"
        f" of {check.games} games against {check.opponent}"
    )

run.plot("fitness").savefig("fitness.png")
player = run.champion
position = player.game.parse_position("44")  # both have played the middle column
print("in this position the champion plays column", player.move(position))
