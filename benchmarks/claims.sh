#!/usr/bin/env bash
# Repeats what README.md and docs/ claim, but for speeds (make bench): some hours on two cores.
# A page about a published study names the command that repeats it; part_studies runs them all.
#
#   bash benchmarks/claims.sh [FOLDER]      everything; FOLDER is claims/ unless given
#   ONLY=tuples bash benchmarks/claims.sh   one part
#
# Runs and studies that are there already are kept, so that it can be stopped and started again.
# FOLDER/PART.log holds the commands of a part and what they printed.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-claims}" && cd "${1:-claims}" || exit 2
export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}

say() { echo "\$ $*"; "$@" 2>&1 || { local code=$?; echo "(exit code $code)"; return $code; }; }
breed() { # a run that did not come to its end must not be measured
  if [ -e "$3" ]; then say evolve resume "$3" --quiet
  else say evolve start "$1" --seed "$2" --run "$3" --quiet "${@:4}"; fi || exit
}
part() { if [ -z "${ONLY:-}" ] || [ "$ONLY" = "$1" ]; then echo "$(date +%T) $1" >&2; "part_$1" >> "$1.log"; fi; }

part_readme() {
  for seed in 1 2 3; do
    breed connect-four $seed connect-four-$seed
    say evolve evaluate run:connect-four-$seed --games 4000 --seed 77 --openings 0
  done
}

part_ticket() {
  for seed in 1 2 3; do
    breed ticket-to-ride $seed ticket-to-ride-$seed
    breed ticket-to-ride-imitation $seed imitation-$seed
    say evolve evaluate run:imitation-$seed --games 10000
  done
  for seed in 1 2 3; do for opponent in rule rule:code run:imitation-1; do
    say evolve duel run:ticket-to-ride-$seed $opponent --games 10000 --seed 77
  done; done
  for opponent in rule rule:text,long=6 rule:code; do
    say evolve duel rule:code,long_match=no $opponent --game ticket-to-ride --games 10000 --seed 77
  done
}

part_tuples() {
  for seed in 6 7 8 11 12 13 14 15; do
    breed connect-four-td $seed td-$seed
    say python -m benchmarks.perfect_play run:td-$seed
    for opponent in minimax:depth=4,noise=0.2 random; do
      say evolve duel run:td-$seed $opponent --games 4000 --seed 77
    done
  done
  for seed in 11 12 13; do
    breed connect-four-td-long $seed td-long-$seed
    say python -m benchmarks.perfect_play run:td-long-$seed
  done
}

part_checkers() {
  for run in features-1 features-2 features-3 network-1; do
    recipe=checkers-features; [ $run = network-1 ] && recipe=checkers
    breed $recipe "${run##*-}" checkers-$run
    say evolve evaluate run:checkers-$run --games 1000 --openings 4 --seed 77
    say python -m benchmarks.sixteen run:checkers-$run --games 100
  done
  for seed in 1 2; do
    breed checkers-neat $seed checkers-neat-$seed
    for depth in 2 3 4; do
      say evolve duel run:checkers-neat-$seed minimax:depth=$depth --games 1000 --openings 4 --seed 77
    done
  done
}

part_minimax() {
  for noise in ,noise=0.2 ""; do
    for first in 1 2 3 4; do
      say evolve evaluate minimax:depth=$first$noise --games 10000 --seed 1 --openings 0
      for second in 1 2 3 4; do
        say evolve duel minimax:depth=$first$noise minimax:depth=$second$noise --games 10000 --seed 1
      done
      say evolve duel minimax:depth=$first$noise random --games 10000 --seed 1
      say evolve duel random minimax:depth=$first$noise --games 10000 --seed 1
    done
  done
  say evolve duel random random --games 10000 --seed 1
}

part_neat() {
  for judge in record outside rank; do for seed in 1 2 3; do
    run=judge-$judge-$seed
    extra=(); [ $judge = outside ] && extra=(--set 'method.stagnation.opponents=["minimax:depth=1,noise=0.2"]')
    breed connect-four-neat $seed $run --set run.generations=300 \
      --set method.stagnation.judge=$judge "${extra[@]}"
    say evolve info $run
  done; done
  python - <<'PROGRAM'
import evolve_arena as ea

for judge in ("record", "outside", "rank"):
    for seed in (1, 2, 3):
        checks = ea.load(f"judge-{judge}-{seed}").checks()
        last = [check for check in checks if check.opponent == "test-bot"][-6:]
        print(f"{judge}, seed {seed}: won {sum(check.won for check in last) / 6:.3f}")
PROGRAM
}

part_engines() { # who breeds: "rank" plays no games of its own, so that two arms play as many
  for seed in 1 2 3 4 5; do for engine in own-rank neat-python own-record; do
    more=(--set method.engine=${engine%%-r*})
    case $engine in own-*) more=(--set method.stagnation.judge=${engine#own-}) ;; esac
    breed connect-four-neat $seed engine-$engine-$seed --generations 100 --set neat.pop_size=150 \
      --set check.every=100 --set check.games=2 "${more[@]}"
  done; done
  python - <<'PROGRAM'
import time
from statistics import mean
from scipy.stats import t
import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import make_executor

def interval(values):
    half = t.ppf(0.975, len(values) - 1) * (sum((v - mean(values)) ** 2 for v in values)
        / (len(values) - 1) / len(values)) ** 0.5
    return f"{mean(values):.3f} [{mean(values) - half:.3f}, {mean(values) + half:.3f}]"

for engine in ("own-rank", "neat-python", "own-record"):
    runs = [f"engine-{engine}-{seed}" for seed in (1, 2, 3, 4, 5)]
    played = [int(ea.load(run).history()["games"].sum()) for run in runs]
    line = [f"{engine}: {mean(played):,.0f} games"]
    for opponent in ("test-bot", "random", "minimax:depth=2"):
        scores = [ea.duel(f"run:{run}", opponent, games=4000, opening_plies=4, seed=77).score
            for run in runs]
        line.append(f"{opponent} {interval(scores)}")
    last = [ea.load(run).history() for run in runs]
    for name in ("species", "hidden_nodes", "connections"):
        line.append(f"{name} {mean(record[name][-10:].mean() for record in last):.1f}")
    run = ea.load(runs[0])
    state, seconds, games = run.state(), 0.0, 0.0
    with make_executor("serial", 1) as machine:
        arena = Arena(run.method.decoder, machine)
        run.method.step(state, arena)  # compiles
        for _ in range(5):
            played, begun = machine.seconds, time.process_time()
            state, _ = run.method.step(state, arena)
            seconds, games = seconds + time.process_time() - begun, games + machine.seconds - played
    line.append(f"CPU seconds a generation {seconds / 5:.3f}, in matches (wall) {games / 5:.3f}")
    print("; ".join(line), flush=True)
PROGRAM
}

part_strengths() {
  for run in 1 2 3; do for seed in 1 2 3 4 5; do
    for change in mutation_strength=0.1 mutation_strength=0.3 mutation_strength=1 mutation_strength=2; do
      breed four-in-a-row-$run $seed strengths/$change-$run-$seed --set method.$change
    done
    breed four-in-a-row-$run $seed strengths/tanh-$run-$seed --set 'network.activation="tanh"'
    breed four-in-a-row-$run $seed strengths/absolute-$run-$seed --set 'network.viewpoint="absolute"'
  done; done
  python - <<'PROGRAM'
import numpy as np
import evolve_arena as ea
from evolve_arena.studies.four_in_a_row.curves import read_published

for setting in [*(f"mutation_strength={s}" for s in (0.1, 0.3, 1, 2)), "tanh", "absolute"]:
    distances = []
    for number in (1, 2, 3):
        chosen = [ea.load(f"strengths/{setting}-{number}-{seed}") for seed in range(1, 6)]
        ours = np.mean([[check.won for check in run.checks()] for run in chosen], axis=0)
        blocks = np.reshape(ours - read_published()[number].points[:100], (10, 10)).mean(axis=1)
        distances.append(np.sqrt(np.mean(blocks**2)))
    print(f"{setting}: root mean square distance {np.mean(distances):.3f}")
PROGRAM
}

part_games() {
  for name in tic-tac-toe gomoku hex hex-td breakthrough kalah chomp pig othello; do
    breed $name 2 $name
    plies=4
    case $name in tic-tac-toe | chomp) plies=2 ;; pig) plies=0 ;; esac
    say evolve duel run:$name mcts:rollouts=1000 --games 400 --openings $plies --seed 77
  done
}

part_studies() {
  say evolve reproduce four-in-a-row --seeds 15
  say evolve reproduce mlp-vs-neat --seeds 5
  for study in td-lambda q-learning ticket-to-ride checkers-td; do say evolve reproduce $study; done
}

for name in readme ticket tuples checkers minimax neat engines strengths games studies; do part $name; done
