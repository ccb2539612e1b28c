#!/usr/bin/env bash
# Repeats what README.md and docs/ claim, but for speeds (make bench): some hours on two cores.
# A page about a published study names the command that repeats it; part_studies runs them all.
# Some parts need outside judges: run it where `evolve` is that of `make test`, or of pip install -e '.[test]'.
#
#   bash benchmarks/claims.sh [FOLDER]            everything; FOLDER is claims/ unless given
#   ONLY="games hour" bash benchmarks/claims.sh   some parts
#   SMALL=1 bash benchmarks/claims.sh             one of each, in minutes: a test of this file
#
# Runs and studies that are there already are kept, so that it can be stopped and started again.
# Checks get a share of a run's time: beside other work they play fewer games against players from outside.
# Who is champion does not depend on that. FOLDER/PART.log holds the commands of a part and what they
# printed. A command that fails does not end the others: those that failed are listed at the end, and the
# exit code is 1.
set -uo pipefail
PARTS="readme hour games looking curves positions races tuples league pbt ticket checkers features minimax neat engines strengths studies"
SMALL=${SMALL:-}
root=$(cd "$(dirname "$0")/.." && pwd)
for name in ${ONLY:-}; do
  case " $PARTS " in *" $name "*) ;; *) echo "claims.sh: unknown part $name (known: $PARTS)" >&2; exit 2 ;; esac
done
folder=${1:-claims${SMALL:+-small}}
mkdir -p "$folder" && cd "$folder" || exit 2
export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}
rm -f failed.log

few() { if [ "$SMALL" ]; then echo "$1"; else echo "$@"; fi; }
games() { if [ "$SMALL" ]; then echo 4; else echo "$1"; fi; }
note() { echo "$*" | tee -a failed.log >&2; }
say() { echo "\$ $*"; "$@" 2>&1 || { local code=$?; echo "(exit code $code)"; note "failed ($code): $*"; return $code; }; }
breed() { # a run that did not come to its end must not be measured
  local extra=("${@:4}")
  if [ "$SMALL" ]; then extra+=(--set run.generations=2 --set check.every=1 --set check.games=4); fi
  if [ -e "$3" ]; then say evolve resume "$3" --quiet
  else say evolve start "$1" --seed "$2" --run "$3" --quiet "${extra[@]}"; fi || exit
}
program() { python - "$@" 2>&1 || note "failed ($?): the program of this part"; }
part() {
  case " ${ONLY:-$PARTS} " in *" $1 "*) ;; *) return ;; esac
  echo "$(date +%T) $1" >&2
  (part_"$1") >> "$1.log" || note "failed: part $1"
}

part_readme() {
  for seed in $(few 1 2 3); do
    breed connect-four $seed connect-four-$seed
    say evolve evaluate run:connect-four-$seed --games $(games 4000) --seed 77 --openings 0
  done
}

part_hour() { # the last command of docs/first-hour.md, and the block test
  local seeds; seeds=$(few 1 2 3 4 5 6 7 8 9 10)
  for seed in $seeds; do
    breed connect-four $seed first-$seed --set run.generations=100
    breed connect-four $seed connect-four-$seed
  done
  program $(games 4000) $seeds <<'PROGRAM'
import sys
import evolve_arena as ea

games, *seeds = map(int, sys.argv[1:])
held = 0
print("| seed | won | drawn | lost | score of the whole recipe against 100 generations |")
print("| --- | --- | --- | --- | --- |")
for seed in seeds:
    played = ea.duel(f"run:connect-four-{seed}", f"run:first-{seed}", games=games, opening_plies=4)
    low, high = played.wilson_95
    held += high >= 0.5
    print(f"| {seed} | {played.wins} | {played.draws} | {played.losses}"
        f" | {played.score:.3f} [{low:.3f}, {high:.3f}] |", flush=True)
print(f"not weaker beyond its interval: {held} of {len(seeds)} seeds")
PROGRAM
  breed connect-four-td 1 td-1
  say python -m benchmarks ${SMALL:+--small} blocks run:first-1 run:connect-four-1 run:td-1
}

part_ticket() {
  for seed in $(few 1 2 3); do
    breed ticket-to-ride $seed ticket-to-ride-$seed
    breed ticket-to-ride-imitation $seed imitation-$seed
    say evolve evaluate run:imitation-$seed --games $(games 10000)
  done
  for seed in $(few 1 2 3); do for opponent in $(few rule rule:code run:imitation-1); do
    say evolve duel run:ticket-to-ride-$seed $opponent --games $(games 10000) --seed 77
  done; done
  for opponent in $(few rule rule:text,long=6 rule:code); do
    say evolve duel rule:code,long_match=no $opponent --game ticket-to-ride --games $(games 10000) --seed 77
  done
}

part_tuples() {
  local shape=() limits="100000 200000 600000 1100000"
  [ "$SMALL" ] && shape=(--set network.tuples=12) limits=20000
  for seed in $(few 16 17 18 19 20 21 22); do
    breed connect-four-td $seed td-$seed "${shape[@]}"
    say python -m benchmarks.perfect_play run:td-$seed --games $(games 200)
    for opponent in $(few minimax:depth=4,noise=0.2 random); do
      say evolve duel run:td-$seed $opponent --games $(games 4000) --seed 77
    done
  done
  for seed in $(few 16 17 18 19 20); do for limit in $([ $seed = 16 ] && echo $limits || echo 100000); do
    say evolve export td-$seed --limit $limit --out td-$seed-$limit.py --force
    [ "$SMALL" ] || say python -m benchmarks.perfect_play "process:python td-$seed-$limit.py" --games 200
  done; done
  [ -e more.csv ] || say evolve positions connect-four --count $(games 1600) --distance --seed 1 --out more.csv
  for seed in $(few 11 12 13 14 15); do
    breed connect-four-td-long $seed td-long-$seed
    say python -m benchmarks.perfect_play run:td-long-$seed --games $(games 200)
    for player in td-long-$seed td-long-$seed,depth=4; do
      say evolve evaluate run:$player --games $(games 100) --positions more.csv
    done
    say python -m benchmarks.medians td-long-$seed --games $(games 400)
    say python -m benchmarks.medians td-long-$seed,depth=3 --games $(games 200)
  done
}

part_league() { # LEAGUE=DIR: the files of the Othello League, which are no part of this project
  local files; files=$(cd "$root" && realpath "${LEAGUE:-othello_league}")
  [ -d "$files" ] || { echo "left out: no folder $files; LEAGUE=DIR names it"; return; }
  for recipe in $(few othello othello-evolved); do for seed in $(few 2 3 4 5 6); do
    breed $recipe $seed $recipe-$seed
    say evolve league run:$recipe-$seed --folder "$files" --pairs $(games 1000)
  done; done
  [ "$SMALL" ] && return
  for seed in 1 2; do
    breed othello-evolved-long $seed othello-evolved-long-$seed
    say evolve league run:othello-evolved-long-$seed --folder "$files"
  done
  say python -m benchmarks.medians othello-2,time=100ms --opponent mcts:rollouts=100000 --games 40
}

part_pbt() { # population-based training of two individuals, and the learner, with as many games
  local name games generations plies seeds rate seed many extra learner own="$root"/benchmarks/games
  local pbt=(--set method.name=population-based-training --set method.individuals=2)
  local last=(--set check.every=1000000 --set 'run.champion="last"')
  meet() {
    say evolve duel run:pbt-$1 run:learned-$1 --games $(games 1000) --openings 4 --seed 77
    for run in $(few pbt learned); do
      say evolve duel run:$run-$1 mcts:rollouts=1000 --games $(games "$2") --openings 4 --seed 77
    done
  }
  set -- "hex 10000 110 8" "kalah 10000 50 10" "breakthrough 5000 80 10" "gomoku 2000 450 8" "othello 2000 550 8" \
    "connect-four-td 10000 480 8"
  for row in $(few "${@// /:}"); do
    IFS=: read -r name games generations plies <<< "$row"
    [ $name = connect-four-td ] && seeds="16 17 18 19 20" || seeds="2 3 4 5 6"
    # Where there are many generations, genes take smaller steps; rates are those of the recipes
    case $name in gomoku) rate=0.004 ;; othello) rate=0.006 ;; *) rate="" ;; esac
    extra=(${rate:+--set method.genes.learning_rate=$rate --set method.schedule.final=0.02})
    [ "$generations" -gt 200 ] && extra+=(--set variation.step_size=0.03)
    [ $name = connect-four-td ] && learner=() || learner=("${last[@]}")
    for seed in $(few $seeds); do
      breed $name $seed learned-$name-$seed "${learner[@]}"
      breed $name $seed pbt-$name-$seed "${pbt[@]}" --set method.games=$games --set run.generations=$generations \
        --set method.schedule.generations=$generations --set method.start_plies=$plies "${last[@]}" "${extra[@]}"
      meet $name-$seed 300
      [ "$SMALL" ] || [ $name != connect-four-td ] || say python -m benchmarks.perfect_play run:pbt-$name-$seed --games 200
    done
  done
  [ "$SMALL" ] && return
  # Games in one file, with as much time: who is stronger depends on the clock
  pbt+=(--set variation.step_size=0.02) last+=(--minutes 2.5 --allow-process)
  for name in nine_mens_morris lines_of_action ataxx; do
    case $name in
      nine_mens_morris) games=500 many=60
        extra=(--set network.tuples=60 --set network.length=8 --set network.counts=true --set network.stages=2)
        learner=(--set method.name=td-tuples --set method.individuals=1 --set method.shards=2
          --set method.games=1000 --set method.schedule.learning_rate=0.002) ;;
      lines_of_action) games=500 many=40 extra=(--set 'network.hidden=[64]')
        learner=(--set method.name=td --set method.individuals=2 --set method.games=1000) ;;
      ataxx) games=300 many=20 extra=(--set 'network.hidden=[64]')
        learner=(--set method.name=td --set method.individuals=2 --set method.games=750) ;;
    esac
    learner+=("${extra[@]}")
    [ $name = nine_mens_morris ] || extra+=(--set 'network.kind="mlp"' --set method.genes.learning_rate=0.3)
    [ $name = ataxx ] && extra+=(--set method.genes.random_starts=0.05)
    for seed in 6 7 8 9 10; do
      # A run that the clock was to end has no last generation, so none is resumed
      [ -e learned-$name-$seed ] || breed "$own"/$name.py $seed learned-$name-$seed "${learner[@]}" "${last[@]}"
      [ -e pbt-$name-$seed ] || breed "$own"/$name.py $seed pbt-$name-$seed "${pbt[@]}" --set method.games=$games \
        "${extra[@]}" "${last[@]}"
      meet $name-$seed $many
    done
  done
}

part_checkers() {
  for run in $(few features-1 features-2 features-3 network-1 tuples-3 tuples-4 tuples-5 tuples-6 tuples-7); do
    recipe=checkers-${run%-*}; [ $run = network-1 ] && recipe=checkers
    breed $recipe "${run##*-}" checkers-$run
    say evolve evaluate run:checkers-$run --games $(games 1000) --openings 4 --seed 77
    say python -m benchmarks.sixteen run:checkers-$run --games $(games 100)
    [ $recipe = checkers-tuples ] || continue
    [ "$SMALL" ] || say python -m benchmarks.spiel_mcts run:checkers-$run,time=100ms --games 200
    for player in checkers-$run,depth=3 $([ $run = tuples-3 ] && echo checkers-$run,depth=3,endgames=4); do
      say evolve duel run:$player piotrowski:rafalmore --games $(games 1000) --openings 4 --seed 77
    done
  done
  for seed in $(few 1 2); do
    breed checkers-neat $seed checkers-neat-$seed
    for depth in $(few 2 3 4); do
      say evolve duel run:checkers-neat-$seed minimax:depth=$depth --games $(games 1000) --openings 4 --seed 77
    done
  done
}

part_features() { # Connect Four over counts of threats
  for recipe in $(few connect-four-features connect-four-neat-features); do for seed in $(few 12 13 14 15 16); do
    breed $recipe $seed $recipe-$seed
    for depth in $(few 1 3); do for openings in $(few 0 4); do
      say evolve duel run:$recipe-$seed,depth=$depth minimax:depth=4,noise=0.2 \
        --games $(games 2000) --openings $openings --seed 77
    done; done
  done; done
}

part_minimax() {
  for noise in $(few ,noise=0.2 ,noise=0); do
    for first in $(few 1 2 3 4); do
      say evolve evaluate minimax:depth=$first$noise --games $(games 10000) --seed 1 --openings 0
      for second in $(few 1 2 3 4); do
        say evolve duel minimax:depth=$first$noise minimax:depth=$second$noise --games $(games 10000) --seed 1
      done
      say evolve duel minimax:depth=$first$noise random --games $(games 10000) --seed 1
      say evolve duel random minimax:depth=$first$noise --games $(games 10000) --seed 1
    done
  done
  say evolve duel random random --games $(games 10000) --seed 1
}

part_neat() {
  for judge in $(few record outside rank); do for seed in $(few 1 2 3); do
    run=judge-$judge-$seed
    extra=(); [ $judge = outside ] && extra=(--set 'method.stagnation.opponents=["minimax:depth=1,noise=0.2"]')
    breed connect-four-neat $seed $run --set run.generations=300 \
      --set method.stagnation.criterion=$judge "${extra[@]}"
    say evolve info $run
  done; done
  program "$(few record outside rank)" "$(few 1 2 3)" <<'PROGRAM'
import sys
import evolve_arena as ea

judges, seeds = (words.split() for words in sys.argv[1:])
for judge in judges:
    for seed in seeds:
        checks = ea.load(f"judge-{judge}-{seed}").checks()
        last = [check for check in checks if check.opponent == "test-bot"][-6:]
        print(f"{judge}, seed {seed}: won {sum(check.won for check in last) / len(last):.3f}")
PROGRAM
}

part_engines() { # who breeds: "rank" plays no games of its own, so that two arms play as many
  for seed in $(few "1 2" 3 4 5); do for engine in $(few own-rank neat-python own-record); do
    more=(--set method.engine=${engine%%-r*})
    case $engine in own-*) more=(--set method.stagnation.criterion=${engine#own-}) ;; esac
    breed connect-four-neat $seed engine-$engine-$seed --set run.generations=100 --set neat.pop_size=150 \
      --set check.every=100 --set check.games=2 --set 'run.champion="last"' "${more[@]}"
  done; done
  program "$(few own-rank neat-python own-record)" "$(few "1 2" 3 4 5)" $(games 4000) <<'PROGRAM'
import sys
import time
from statistics import mean
import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.intervals import mean_interval

def interval(values):
    low, high = mean_interval(values)
    return f"{mean(values):.3f} [{low:.3f}, {high:.3f}]"

engines, seeds = (words.split() for words in sys.argv[1:3])
for engine in engines:
    runs = [f"engine-{engine}-{seed}" for seed in seeds]
    played = [int(ea.load(run).history()["games"].sum()) for run in runs]
    line = [f"{engine}: {mean(played):,.0f} games"]
    for opponent in ("test-bot", "random", "minimax:depth=2"):
        scores = [ea.duel(f"run:{run}", opponent, games=int(sys.argv[3]), opening_plies=4, seed=77).score
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
  for run in $(few 1 2 3); do for seed in $(few 1 2 3 4 5); do
    for change in $(few step_size=0.1 step_size=0.3 step_size=1 step_size=2); do
      breed four-in-a-row-$run $seed strengths/$change-$run-$seed --set variation.$change
    done
    breed four-in-a-row-$run $seed strengths/tanh-$run-$seed --set 'network.activation="tanh"'
  done; done
  program "$(few 1 2 3)" "$(few 1 2 3 4 5)" \
    $(few step_size=0.1 step_size=0.3 step_size=1 step_size=2) \
    tanh <<'PROGRAM'
import sys
import numpy as np
import evolve_arena as ea
from evolve_arena.studies.four_in_a_row.study import read_published

numbers, seeds = ([int(word) for word in words.split()] for words in sys.argv[1:3])
for setting in sys.argv[3:]:
    distances = []
    for number in numbers:
        chosen = [ea.load(f"strengths/{setting}-{number}-{seed}") for seed in seeds]
        ours = np.mean([[check.won for check in run.checks()] for run in chosen], axis=0)
        apart = ours - read_published()[number].points[: len(ours)]
        blocks = np.reshape(apart, (max(1, len(ours) // 10), -1)).mean(axis=1)
        distances.append(np.sqrt(np.mean(blocks**2)))
    print(f"{setting}: root mean square distance {np.mean(distances):.3f}")
PROGRAM
}

part_games() { # recipes were tuned on seed 1
  local seeds; seeds=$(few 2 3 4 5 6)
  for name in $(few tic-tac-toe chomp pig gomoku hex breakthrough kalah othello one-file-connect-four); do
    plies=4 runs=() players=() changes=() recipe=$name
    case $name in pig) plies=0 ;; tic-tac-toe) plies=2 ;;
      chomp) plies=2 changes=(--set game.height=5 --set game.width=5) ;;
      one-file-connect-four) recipe=$root/benchmarks/games/connect_four.toml changes=(--allow-process) ;;
    esac
    for seed in $seeds; do
      breed $recipe $seed $name-$seed "${changes[@]}"
      runs+=($name-$seed) players+=(run:$name-$seed)
    done
    say python -m benchmarks.medians "${runs[@]}" --games $(games 400) --openings $plies
    say python -m benchmarks.medians "${runs[@]/%/,depth=3}" --games $(games 200) --openings $plies
    case $name in
      pig) say python -m benchmarks.exact_play "${players[@]}" --games $(games 10000) ;;
      chomp | tic-tac-toe) say python -m benchmarks.exact_play "${players[@]}" --games $(games 2000) ;;
    esac
  done
}

part_looking() { # the champions of part games of one seed, looking ahead; time is the clock's
  local plies seed
  for name in $(few tic-tac-toe chomp kalah breakthrough hex gomoku othello pig connect-four-td); do
    plies=4 changes=()
    case $name in pig) plies=0 ;; tic-tac-toe) plies=2 ;;
      chomp) plies=2 changes=(--set game.height=5 --set game.width=5) ;;
    esac
    breed $name 2 $name-2 "${changes[@]}"
    for opponent in $(few mcts:rollouts=1000 mcts:rollouts=10000); do
      for look in , $(few ,depth=3 ,time=100ms); do
        say python -m benchmarks.medians "$name-2${look%,}" --opponent $opponent --games $(games 100) --openings $plies
      done
    done
  done
  [ "$SMALL" ] && return
  for seed in 3 4 5 6; do for name in hex gomoku othello kalah breakthrough connect-four-td; do # as in part pbt
    changes=(--set check.every=1000000 --set 'run.champion="last"') run=learned-$name-$seed
    [ $name = connect-four-td ] && changes=() run=learned-$name-$((seed + 14))
    breed $name ${run##*-} $run "${changes[@]}"
    say python -m benchmarks.medians $run,time=100ms --opponent mcts:rollouts=10000 --games 40
  done; done
}

part_curves() { # strength over time, and of networks of several sizes
  local row name every tuples
  for row in $(few hex:11 gomoku:45 othello:55 kalah:5); do
    name=${row%:*} every=${row#*:}
    breed $name 3 curves/$name-3 --set check.every=$every --set run.checkpoint_every=$every --set run.keep_newest=30
  done
  for tuples in $(few 3 10 30); do
    breed hex 3 curves/hex-$tuples-tuples --set network.tuples=$tuples --set check.every=110 \
      --set 'run.champion="last"'
  done
  cd curves && say python -m benchmarks.strength $(few hex-3 gomoku-3 othello-3 kalah-3) \
    --sizes $(few hex-3-tuples hex-10-tuples hex-30-tuples) hex-3 --games $(games 200)
}

part_positions() { # exact sets of the kinds that games ship; other seeds and versions draw other positions
  solve() { # FILE.csv GAME COUNT OPTIONS
    [ -e "$1" ] || say evolve positions "$2" --out "$1" --count $(games "$3") "${@:4}"
  }
  solve hex_5.csv hex 200 --size 5
  [ "$SMALL" ] && return
  say evolve positions tic-tac-toe --out tic_tac_toe.csv --all --distance
  say evolve positions chomp --out chomp.csv --all --distance
  solve breakthrough_5.csv breakthrough 300 --size 5
  solve kalah_4_3.csv kalah 300 --distance --pits 4 --seeds 3
  solve pig.csv pig 300
  solve connect_four.csv connect-four 400 --distance
  solve othello_6.csv othello 200 --size 6
  solve othello_endings.csv othello 200 --plies 48-58
  solve checkers_endings.csv checkers 200
}

part_races() { # games written from the tutorials alone; who wins depends on the clock
  local own="$root"/benchmarks/games minutes=3 name game seeds many seed
  [ "$SMALL" ] && minutes=0.02
  for game in $(few tic-tac-toe "$own"/{dots_and_boxes,lines_of_action,ataxx,nine_mens_morris}.py); do
    name=$(basename "$game" .py) seeds=5 many=20
    case $name in lines_of_action | ataxx | nine_mens_morris) seeds="2 3 4 5 6" ;; esac
    case $name in ataxx | nine_mens_morris) many=40 ;; esac
    for seed in $seeds; do
      [ -e race-$name-$seed ] || say evolve start "$game" --seed $seed --minutes $minutes --run race-$name-$seed \
        --quiet --allow-process
      say python -m benchmarks.medians race-$name-$seed race-$name-$seed,depth=3 --games $(games 100)
      [ "$SMALL" ] || say python -m benchmarks.medians race-$name-$seed,time=100ms --opponent mcts:rollouts=10000 \
        --games $many
    done
  done
}

part_studies() {
  if [ "$SMALL" ]; then say evolve reproduce four-in-a-row --seeds 1 --scale 0.001; return; fi
  say evolve reproduce four-in-a-row --seeds 15
  say evolve reproduce mlp-vs-neat --seeds 5
  for study in td-lambda q-learning ticket-to-ride checkers-td; do say evolve reproduce $study; done
}

for name in $PARTS; do part $name; done
if [ -s failed.log ]; then echo "these failed:" >&2; cat failed.log >&2; exit 1; fi
