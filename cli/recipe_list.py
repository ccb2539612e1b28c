"""The recipes as ``evolve recipes`` lists them: by game, what is most useful first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.registry import usual_game
from evolve_arena.runs.recipes.recipe import RecipeSummary


def print_usual_recipes(recipes: Sequence[RecipeSummary]) -> None:
    """Prints a recipe of each game, and the names of the others; on one screen."""
    games = group_recipes(recipes)
    rows = [(usual.name, usual.title) for usual, *_ in games.values()]
    print_table("Recipes: evolve start NAME", ["name", "breeds"], rows, left=2)
    others: dict[tuple[str, ...], list[str]] = {}
    for game, (_, *more) in games.items():
        names = [one.name.removeprefix(game) for one in more if not one.is_published]
        others.setdefault(tuple(names), []).append(game)
    told = [f"{', '.join(found)}: {', '.join(names)}" for names, found in others.items() if names]
    print_line(f"More: {'; '.join(told)}")
    published = sum(recipe.is_published for recipe in recipes)
    print_line(f"All, with {published} of published studies: evolve recipes --all")
    print_line("Those of one game: evolve recipes GAME")


def print_recipes(recipes: Sequence[RecipeSummary]) -> None:
    """Prints all *recipes* with their titles, by game."""
    rows: list[tuple[str, ...]] = []
    sections = []
    for found in group_recipes(recipes).values():
        sections.append(len(rows))
        rows += [(recipe.name, recipe.title) for recipe in found]
    title, columns = "Recipes: evolve start NAME", ["name", "breeds"]
    print_table(title, columns, rows, left=2, sections=sections[1:])


def group_recipes(recipes: Iterable[RecipeSummary]) -> dict[str, list[RecipeSummary]]:
    """The *recipes* of each game: that with which to begin, the others, those of studies.

    The usual game comes first, then those of which there are most recipes.
    """
    games: dict[str, list[RecipeSummary]] = {}
    for recipe in recipes:
        games.setdefault(recipe.game, []).append(recipe)
    for found in games.values():
        found.sort(key=lambda recipe: (recipe.is_published, not recipe.is_usual, recipe.name))

    def rank(game: str) -> tuple[bool, int, str]:
        return game != usual_game(), -sum(not one.is_published for one in games[game]), game

    return {game: games[game] for game in sorted(games, key=rank)}
