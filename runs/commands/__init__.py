"""The commands, by what they are about: runs, games, studies."""
