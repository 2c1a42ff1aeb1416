"""Contracts of all tools, one file a pack. The handlers with the same names are in ``gis/tools``."""
