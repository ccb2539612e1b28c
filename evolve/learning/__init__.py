"""What one individual learns in its lifetime: methods without selection, and their kernels."""
