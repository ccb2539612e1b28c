"""The source of exported bots: plain Python 3.8, of which export takes sections."""
