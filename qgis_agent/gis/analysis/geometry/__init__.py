"""Plans and facts of the pack geometry."""
