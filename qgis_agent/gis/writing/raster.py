"""Writing a raster to a new GeoTIFF: a copy of the cells, or resampled into another CRS. Runs on worker threads, with GDAL."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional

from osgeo import gdal
from qgis.core import QgsCoordinateReferenceSystem, QgsFeedback

from ..errors import CANCELLED, ToolError
from ..gdal_calls import attempt
from ..i18n import translate
from ..layers import clean_text
from ..raster_file import open_source
from .vector import failed

CREATION = ["COMPRESS=DEFLATE", "TILED=YES", "BIGTIFF=IF_SAFER"]


class RasterWriter:
    """Writes one raster. ``crs`` None: the cells as they are."""

    def __init__(self, source: str, path: Path, crs: Optional[QgsCoordinateReferenceSystem]) -> None:
        self._source = source
        self._path = str(path)
        self._crs = crs.toWkt() if crs is not None else ""

    def write(self, feedback: QgsFeedback) -> Dict[str, Any]:
        """Write, read back and compare; gives {width, height, bands, type, nodata}. UPSTREAM_ERROR when it is not the same."""
        source = open_source(self._source)
        if source is None:
            raise failed(translate("QgisAgent", "The raster cannot be read."))
        said: List[str] = []
        gdal.PushErrorHandler(lambda _kind, _number, text: said.append(str(text)))
        try:
            made, reason = attempt(self._make, source, feedback)
        finally:
            gdal.PopErrorHandler()
        if feedback.isCanceled():
            raise ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
        if made is None or reason:
            told = "; ".join(dict.fromkeys([*said, *([reason] if reason else [])]))
            raise failed(clean_text(told, 300) or translate("QgisAgent", "The writer gave no reason."))
        _, reason = attempt(made.FlushCache)
        del made
        if reason:
            raise failed(clean_text(reason, 300))
        return self._checked(source, said)

    def _make(self, source: Any, feedback: QgsFeedback) -> Any:
        def progress(_share: float, _text: str, _data: Any) -> int:
            return 0 if feedback.isCanceled() else 1

        if not self._crs:
            return gdal.GetDriverByName("GTiff").CreateCopy(
                self._path, source, strict=0, options=CREATION, callback=progress
            )
        options = gdal.WarpOptions(
            format="GTiff", dstSRS=self._crs, creationOptions=CREATION, resampleAlg="near", callback=progress
        )
        return gdal.Warp(self._path, source, options=options)

    def _checked(self, source: Any, said: List[str]) -> Dict[str, Any]:
        written = open_source(self._path)
        if written is None or written.RasterCount < source.RasterCount:
            raise failed(translate("QgisAgent", "The file that was written cannot be read."))
        if not self._crs:
            for band in range(1, source.RasterCount + 1):
                before, unread = attempt(source.GetRasterBand(band).Checksum)
                after, _ = attempt(written.GetRasterBand(band).Checksum)
                if before is None or before != after:
                    told = "; ".join([*said, *([unread] if unread else [])])
                    raise failed(
                        translate("QgisAgent", "the cells of band {} differ: {}").format(
                            band, clean_text(told, 200) or "-"
                        )
                    )
        first = written.GetRasterBand(1)
        return {
            "width": written.RasterXSize,
            "height": written.RasterYSize,
            "bands": written.RasterCount,
            "data_type": gdal.GetDataTypeName(first.DataType),
            "nodata": first.GetNoDataValue(),
        }
