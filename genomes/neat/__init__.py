"""NEAT: genomes whose structure grows, after Stanley and Miikkulainen (2002) and neat-python."""
