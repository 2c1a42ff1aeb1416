"""Plans and facts of the packs vector and overlay."""
