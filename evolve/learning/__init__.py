"""Learning of individuals in their lifetime: methods without selection, and their kernels."""
