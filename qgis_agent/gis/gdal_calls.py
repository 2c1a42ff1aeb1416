"""Calls of GDAL's Python modules that fail in the same way whether their exceptions are on or off.

QGIS's plugin Processing turns them on for the whole process (``gdal.UseExceptions()``), other programs leave them off, and
neither may be changed here: others rely on it. Off, a call that fails gives None or an error number; on, it raises
RuntimeError, and each later call of these modules forgets GDAL's last error. So the reason is taken at once.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping, Sequence, Tuple

from osgeo import gdal


class GdalReadError(Exception):
    """GDAL could not read on; the text is its reason."""


def attempt(call: Callable[..., Any], *given: Any, **named: Any) -> Tuple[Any, str]:
    """(what the call gives, GDAL's reason where it failed, else ""). None is given where it raised."""
    gdal.ErrorReset()
    try:
        found = call(*given, **named)
    except RuntimeError as error:
        return None, str(error) or type(error).__name__
    return found, last_error()


def last_error() -> str:
    """The text of this thread's last error; "" for none, and for a warning."""
    return str(gdal.GetLastErrorMsg()) if gdal.GetLastErrorType() >= gdal.CE_Failure else ""


def open_dataset(path: str, flags: int, drivers: Sequence[str] = (), options: Sequence[str] = ()) -> Tuple[Any, str]:
    """(the data set opened for reading, ""); (None, why not, "" where GDAL does not say) when it cannot be opened."""
    return attempt(gdal.OpenEx, path, flags | gdal.OF_READONLY, list(drivers), list(options))


def each_feature(layer: Any) -> Iterator[Any]:
    """The features of a layer of GDAL, from where it stands. GdalReadError where one cannot be read: GDAL itself would end
    there, and a part of the features would pass for all."""
    while True:
        feature, reason = attempt(layer.GetNextFeature)
        if reason:
            raise GdalReadError(reason)
        if feature is None:
            return
        yield feature


@contextmanager
def thread_options(options: Mapping[str, str]) -> Iterator[None]:
    """Inside ``with``: GDAL's options on this thread. Afterwards they are what they were."""
    before = {name: gdal.GetThreadLocalConfigOption(name) for name in options}
    for name, value in options.items():
        gdal.SetThreadLocalConfigOption(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            gdal.SetThreadLocalConfigOption(name, old)


NO_SIDE_FILES: Mapping[str, str] = {"GDAL_PAM_ENABLED": "NO"}
"""With these options nothing (.aux.xml) is written beside a raster."""
