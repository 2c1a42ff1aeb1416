"""GCJ-02, the offset that maps published in China carry. It is no CRS: no EPSG code takes it away.

The offset is a published polynomial with sine terms in longitude - 105 and latitude - 35 on the ellipsoid of Krassovsky
(a = 6378245 m, e² = 0.00669342162296594323). Only its size is told here; nothing is ever moved by it.
"""

from __future__ import annotations

import math
from typing import Tuple
from urllib.parse import urlsplit

_AXIS = 6378245.0
_ECCENTRICITY = 0.00669342162296594323
_HOSTS = ("autonavi.com", "amap.com", "gaode.com", "map.qq.com", "gtimg.com", "google.cn")
"""Map services that draw China in GCJ-02: Amap (AutoNavi), Tencent, Google's Chinese host."""


def draws_in_gcj02(url: str) -> bool:
    """Whether a service is known to be in GCJ-02, by its host."""
    host = (urlsplit(url).hostname or "").lower()
    return any(host == each or host.endswith("." + each) for each in _HOSTS)


def in_china(longitude: float, latitude: float) -> bool:
    """Roughly where the offset is applied, as the published code has it."""
    return 72.004 <= longitude <= 137.8347 and 0.8293 <= latitude <= 55.8271


def _waves(value: float) -> float:
    return (20 * math.sin(6 * value * math.pi) + 20 * math.sin(2 * value * math.pi)) * 2 / 3


def offset_degrees(longitude: float, latitude: float) -> Tuple[float, float]:
    """(d longitude, d latitude) in degrees from WGS 84 to GCJ-02; (0, 0) outside China."""
    if not in_china(longitude, latitude):
        return 0.0, 0.0
    x, y = longitude - 105.0, latitude - 35.0
    root = math.sqrt(abs(x))
    north = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + _waves(x)
    north += (20 * math.sin(y * math.pi) + 40 * math.sin(y / 3 * math.pi)) * 2 / 3
    north += (160 * math.sin(y / 12 * math.pi) + 320 * math.sin(y / 30 * math.pi)) * 2 / 3
    east = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + _waves(x)
    east += (20 * math.sin(x * math.pi) + 40 * math.sin(x / 3 * math.pi)) * 2 / 3
    east += (150 * math.sin(x / 12 * math.pi) + 300 * math.sin(x / 30 * math.pi)) * 2 / 3
    sine = math.sin(math.radians(latitude))
    curve = 1 - _ECCENTRICITY * sine * sine
    d_north = math.degrees(north * curve * math.sqrt(curve) / (_AXIS * (1 - _ECCENTRICITY)))
    d_east = math.degrees(east * math.sqrt(curve) / (_AXIS * math.cos(math.radians(latitude))))
    return d_east, d_north


def offset_m(longitude: float, latitude: float) -> float:
    """Size of the offset in metres, on the sphere of Krassovsky's semi-major axis."""
    east, north = (math.radians(each) for each in offset_degrees(longitude, latitude))
    return _AXIS * math.hypot(east * math.cos(math.radians(latitude)), north)
