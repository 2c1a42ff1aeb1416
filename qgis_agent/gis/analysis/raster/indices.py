"""Spectral indices by name: the bands that they need, the formula, and who published it."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Index(NamedTuple):
    """Bands by role in the order of the letters A, B, …, the formula over these, the source, and whether the formula has
    constants that suit only reflectances from 0 to 1."""

    roles: Tuple[str, ...]
    formula: str
    source: str
    reflectance: bool = False


def _ratio(one: str, two: str, source: str) -> Index:
    return Index((one, two), "(A - B) / (A + B)", source)


INDICES: Dict[str, Index] = {
    "ndvi": _ratio("nir", "red", "Rouse et al. 1974"),
    "gndvi": _ratio("nir", "green", "Gitelson et al. 1996"),
    "ndre": _ratio("nir", "red_edge", "Barnes et al. 2000"),
    "ndwi": _ratio("green", "nir", "McFeeters 1996"),
    "mndwi": _ratio("green", "swir1", "Xu 2006"),
    "ndmi": _ratio("nir", "swir1", "Gao 1996"),
    "ndbi": _ratio("swir1", "nir", "Zha et al. 2003"),
    "ndsi": _ratio("green", "swir1", "Hall et al. 1995"),
    "nbr": _ratio("nir", "swir2", "Key and Benson 2006"),
    "evi": Index(
        ("nir", "red", "blue"), "2.5 * (A - B) / (A + 6 * B - 7.5 * C + 1)", "Huete et al. 2002", reflectance=True
    ),
    "evi2": Index(("nir", "red"), "2.5 * (A - B) / (A + 2.4 * B + 1)", "Jiang et al. 2008", reflectance=True),
    "savi": Index(("nir", "red"), "1.5 * (A - B) / (A + B + 0.5)", "Huete 1988, L = 0.5", reflectance=True),
    "msavi": Index(
        ("nir", "red"), "(2 * A + 1 - sqrt((2 * A + 1) ^ 2 - 8 * (A - B))) / 2", "Qi et al. 1994", reflectance=True
    ),
    "bsi": Index(("swir1", "red", "nir", "blue"), "((A + B) - (C + D)) / ((A + B) + (C + D))", "Rikimaru et al. 2002"),
}
