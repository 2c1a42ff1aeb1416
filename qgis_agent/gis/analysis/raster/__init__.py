"""Plans and facts of the pack raster."""
