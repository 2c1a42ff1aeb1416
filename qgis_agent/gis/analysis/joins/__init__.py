"""Plans and facts of the pack join."""
