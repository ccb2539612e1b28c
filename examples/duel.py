"""Find out whether one player is stronger than another, and how sure that is.

Games come in pairs from the same random opening with colours swapped. A score without its interval
says little: compare 40 games with 4000.
"""

import evolve_arena as ea

for games in (40, 4000):
    result = ea.duel("minimax:depth=3", "minimax:depth=2", games=games, opening_plies=4, seed=1)
    low, high = result.wilson_95
    print(f"{games:4} games: {result.score:.3f} [{low:.3f}, {high:.3f}]", end="  ")
    print("stronger" if low > 0.5 else "weaker" if high < 0.5 else "no clear effect")

# Several players: everybody meets everybody, with ratings on the Elo scale and their errors.
players = ["random", "test-bot", "minimax:depth=2"]
print(ea.tournament(players, games=100, opening_plies=4, seed=1))
