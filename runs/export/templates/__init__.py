"""Sources of exported bots: plain Python 3.8 and C, from which the export takes sections."""
