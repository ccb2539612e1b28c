"""The commands that list what there is: recipes, players, games, runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.completion import complete_recipe
from evolve_arena.cli.commands.renames import rename

if TYPE_CHECKING:
    from evolve_arena.cli.app import App

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def register(app: App) -> None:
    """Add the group ``list`` to *app*, and the former names of its commands."""
    group = app.group("list", "List recipes, players, games, or runs.")
    for command in (recipes, players, games, runs):
        group.command()(command)
    rename(app, "recipes", "list recipes", recipes)
    rename(app, "players", "list players", players)


def recipes(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="List only recipes of this game; with --keys a recipe.",
            autocompletion=complete_recipe,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="List all recipes, also those of studies.")
    ] = False,
    keys: Annotated[
        bool,
        typer.Option(
            "--keys", help="List the settings of one recipe: value, range, default, meaning."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """List the recipes that can be started, or the settings of one."""
    from evolve_arena.cli.output import print_json
    from evolve_arena.cli.recipe_texts import print_recipes, print_usual_recipes
    from evolve_arena.core.registry import default_game, find_game
    from evolve_arena.runs.recipes.recipe import describe_recipe, load_recipe, recipe_names

    if keys:
        from evolve_arena.cli.recipe_texts import describe_recipe_keys, print_recipe_keys

        recipe = load_recipe(game or default_game())
        if json:
            described = describe_recipe_keys(recipe)
            content = [{**text._asdict(), "value": value} for text, value in described]
            print_json({"recipe": game or default_game(), "keys": content})
        else:
            print_recipe_keys(recipe)
        return
    found = [describe_recipe(name) for name in recipe_names()]
    if game is not None:
        game = find_game(game).name
        found = [recipe for recipe in found if recipe.game == game]
    if json:
        print_json({"recipes": {recipe.name: recipe.title for recipe in found}})
    elif every or game is not None:
        print_recipes(found)
    else:
        print_usual_recipes(found)


def players(json: Json = False) -> None:
    """List the players that can be named, and the games that they play."""
    from evolve_arena.cli.output import print_json, print_table
    from evolve_arena.core.registry import game_names
    from evolve_arena.runs.players import list_players

    found, every = list_players(), game_names()
    if json:
        kinds = {form: summary for form, (summary, _) in found.items()}
        print_json({"players": kinds, "games": {form: games for form, (_, games) in found.items()}})
    else:
        rows = []
        for form, (summary, games) in found.items():
            others = [game for game in every if game not in games]
            most = f"all but {', '.join(others)}" if others else "all"
            rows.append((form, summary, most if len(others) < len(games) else ", ".join(games)))
        print_table("Players", ["name", "description", "games"], rows, left=3)


def games(json: Json = False) -> None:
    """List the games, with the number of players of each."""
    from evolve_arena.cli.abilities import describe_games, print_games
    from evolve_arena.cli.output import print_json

    print_json({"games": describe_games()}) if json else print_games()


def runs(json: Json = False) -> None:
    """List the runs in ./evolved, the newest first."""
    from evolve_arena.cli.output import print_json
    from evolve_arena.cli.run_tables import print_runs
    from evolve_arena.runs.summary import list_runs

    found = list_runs()
    print_json({"runs": found}) if json else print_runs(found)
