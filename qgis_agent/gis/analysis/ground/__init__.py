"""Metres on the ground: local planes, scales, the ellipsoid."""
