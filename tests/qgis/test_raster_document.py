"""The renderer part of a raster's style document: read, put onto a bare copy, drawn alike; what is refused changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from osgeo import gdal, osr
from qgis.core import (
    Qgis,
    QgsBilinearRasterResampler,
    QgsColorRampShader,
    QgsContrastEnhancement,
    QgsCubicRasterResampler,
    QgsHillshadeRenderer,
    QgsHueSaturationFilter,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsMultiBandColorRenderer,
    QgsPalettedRasterRenderer,
    QgsRasterContourRenderer,
    QgsRasterDataProvider,
    QgsRasterLayer,
    QgsRasterShader,
    QgsRasterSingleColorRenderer,
    QgsRasterTransparency,
    QgsSingleBandGrayRenderer,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.style.raster_document import check_raster, patch_raster, raster_part, read_raster

BACKGROUND = QColor("#b0c4de")


def write_raster(path: Path, bands: list[Any], kind: int, nodata: float | None = None) -> Path:
    """A GeoTIFF of cells of 3 m in EPSG:3857."""
    rows, columns = bands[0].shape
    made = gdal.GetDriverByName("GTiff").Create(str(path), columns, rows, len(bands), kind)
    made.SetGeoTransform((0, 3, 0, 3 * rows, 0, -3))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(3857)
    made.SetProjection(reference.ExportToWkt())
    for number, band in enumerate(bands, 1):
        made.GetRasterBand(number).WriteArray(band)
        if nodata is not None:
            made.GetRasterBand(number).SetNoDataValue(nodata)
    made.FlushCache()
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A hill with a nodata corner, four bands of bytes, six classes."""
    rows, columns = np.mgrid[0:30, 0:40]
    hill = (200 * np.exp(-((rows - 12) ** 2 + (columns - 22) ** 2) / 120) + columns).astype(np.float32)
    hill[:5, :5] = -9999
    colors = [np.clip(hill, 0, 250), rows * 8, columns * 6, 255 - rows * 8]
    return {
        "hill": write_raster(tmp_path / "hill.tif", [hill], gdal.GDT_Float32, -9999),
        "bands": write_raster(tmp_path / "bands.tif", [each.astype(np.uint8) for each in colors], gdal.GDT_Byte),
        "classes": write_raster(
            tmp_path / "classes.tif", [(rows // 10 + 3 * (columns // 20)).astype(np.uint8)], gdal.GDT_Byte
        ),
    }


def picture(layer: QgsRasterLayer) -> Any:
    """What QGIS draws, (height, width, 4), 200 x 150 pixels: cells are drawn larger than they are read."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setExtent(layer.extent())
    settings.setOutputSize(QSize(200, 150))
    settings.setBackgroundColor(BACKGROUND)
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bits, np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4).copy()


def differing(one: Any, other: Any) -> float:
    """Share of the pixels that either picture draws and that differ by more than 2 of 255."""
    background = np.array([BACKGROUND.blue(), BACKGROUND.green(), BACKGROUND.red(), 255])
    drawn = (one != background).any(axis=2) | (other != background).any(axis=2)
    differ = (np.abs(one.astype(int) - other.astype(int)) > 2).any(axis=2)
    assert drawn.any()
    return float((differ & drawn).sum() / drawn.sum())


def stretch(layer: QgsRasterLayer, low: float, high: float, algorithm: str = "StretchToMinimumMaximum") -> Any:
    """A contrast enhancement."""
    made = QgsContrastEnhancement(layer.dataProvider().dataType(1))
    made.setMinimumValue(low)
    made.setMaximumValue(high)
    made.setContrastEnhancementAlgorithm(getattr(QgsContrastEnhancement.ContrastEnhancementAlgorithm, algorithm))
    return made


def gray(layer: Any) -> None:
    renderer = QgsSingleBandGrayRenderer(layer.dataProvider(), 1)
    renderer.setGradient(QgsSingleBandGrayRenderer.Gradient.WhiteToBlack)
    renderer.setContrastEnhancement(stretch(layer, 20, 150, "StretchAndClipToMinimumMaximum"))
    renderer.setNodataColor(QColor("#ff8800"))
    layer.setRenderer(renderer)


def pseudocolor(layer: Any, kind: str, last: float = 240) -> None:
    function = QgsColorRampShader(0, 240, None, getattr(QgsColorRampShader.Type, kind))
    values = ((20, "#440154"), (60, "#31688e80"), (120, "#35b779"), (last, "#fde725"))
    colors = [(value, QColor(color[:7]), int(color[7:] or "ff", 16)) for value, color in values]
    for _, color, alpha in colors:
        color.setAlpha(alpha)
    function.setColorRampItemList(
        [QgsColorRampShader.ColorRampItem(value, color, f"<= {value}") for value, color, _ in colors]
    )
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(function)
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))


def clipped(layer: Any) -> None:
    pseudocolor(layer, "Interpolated", 150)
    layer.renderer().shader().rasterShaderFunction().setClip(True)
    layer.setOpacity(0.6)


def multiband(layer: Any) -> None:
    renderer = QgsMultiBandColorRenderer(layer.dataProvider(), 3, 1, 2)
    renderer.setRedContrastEnhancement(stretch(layer, 30, 200))
    renderer.setBlueContrastEnhancement(stretch(layer, 0, 100))
    renderer.setAlphaBand(4)
    layer.setRenderer(renderer)


def two_bands(layer: Any) -> None:
    renderer = QgsMultiBandColorRenderer(layer.dataProvider(), 3, -1, 2)
    transparent = QgsRasterTransparency()
    pixel = QgsRasterTransparency.TransparentThreeValuePixel()
    pixel.red, pixel.green, pixel.blue, pixel.opacity = 0, 0, 0, 0
    transparent.setTransparentThreeValuePixelList([pixel])
    renderer.setRasterTransparency(transparent)
    layer.setRenderer(renderer)


def paletted(layer: Any) -> None:
    colors = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"]
    classes = [
        QgsPalettedRasterRenderer.Class(value, QColor(each), f"class {value}") for value, each in enumerate(colors)
    ]
    renderer = QgsPalettedRasterRenderer(layer.dataProvider(), 1, classes)
    transparent = QgsRasterTransparency()
    pixel = QgsRasterTransparency.TransparentSingleValuePixel()
    pixel.min, pixel.max, pixel.opacity = 2, 2, 0.3
    transparent.setTransparentSingleValuePixelList([pixel])
    renderer.setRasterTransparency(transparent)
    layer.setRenderer(renderer)


def hillshade(layer: Any) -> None:
    renderer = QgsHillshadeRenderer(layer.dataProvider(), 1, 300, 35)
    renderer.setZFactor(0.2)
    renderer.setMultiDirectional(True)
    layer.setRenderer(renderer)


def contour(layer: Any) -> None:
    renderer = QgsRasterContourRenderer(layer.dataProvider())
    renderer.setContourInterval(20)
    renderer.setContourIndexInterval(100)
    renderer.setDownscale(1)
    layer.setRenderer(renderer)


def single(layer: Any) -> None:
    layer.setRenderer(QgsRasterSingleColorRenderer(layer.dataProvider(), 1, QColor("#336699")))


def adjusted(layer: Any) -> None:
    multiband(layer)
    layer.brightnessFilter().setBrightness(40)
    layer.brightnessFilter().setContrast(-30)
    layer.brightnessFilter().setGamma(1.4)
    hue = layer.hueSaturationFilter()
    hue.setSaturation(-40)
    hue.setInvertColors(True)


def colorized(layer: Any) -> None:
    gray(layer)
    hue = layer.hueSaturationFilter()
    hue.setColorizeOn(True)
    hue.setColorizeColor(QColor("#aa3311"))
    hue.setColorizeStrength(70)


def grayscale(layer: Any) -> None:
    multiband(layer)
    layer.hueSaturationFilter().setGrayscaleMode(QgsHueSaturationFilter.GrayscaleMode.GrayscaleLuminosity)


def smooth(layer: Any) -> None:
    pseudocolor(layer, "Discrete")
    layer.resampleFilter().setZoomedInResampler(QgsCubicRasterResampler())
    layer.resampleFilter().setZoomedOutResampler(QgsBilinearRasterResampler())
    layer.resampleFilter().setMaxOversampling(3)


def smooth_reading(layer: Any) -> None:
    pseudocolor(layer, "Interpolated")
    layer.setResamplingStage(Qgis.RasterResamplingStage.Provider)
    layer.dataProvider().setZoomedInResamplingMethod(QgsRasterDataProvider.ResamplingMethod.CubicSpline)
    layer.dataProvider().setZoomedOutResamplingMethod(QgsRasterDataProvider.ResamplingMethod.Average)


LOOKS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "gray": ("hill", gray),
    "linear": ("hill", lambda layer: pseudocolor(layer, "Interpolated")),
    "discrete": ("hill", lambda layer: pseudocolor(layer, "Discrete", float("inf"))),
    "exact": ("classes", lambda layer: pseudocolor(layer, "Exact")),
    "clipped": ("hill", clipped),
    "multiband": ("bands", multiband),
    "two bands": ("bands", two_bands),
    "paletted": ("classes", paletted),
    "hillshade": ("hill", hillshade),
    "contour": ("hill", contour),
    "single": ("hill", single),
    "adjusted": ("bands", adjusted),
    "colorized": ("hill", colorized),
    "grayscale": ("bands", grayscale),
    "smooth": ("hill", smooth),
    "smooth reading": ("hill", smooth_reading),
}


def pair(files: dict[str, Path], look: str) -> tuple[QgsRasterLayer, QgsRasterLayer]:
    """A styled raster layer and a bare copy."""
    data, style = LOOKS[look]
    raster_layer, bare_layer = (QgsRasterLayer(str(files[data]), name) for name in ("styled", "bare"))
    style(raster_layer)
    return raster_layer, bare_layer


@pytest.mark.parametrize("look", LOOKS)
def test_round_trip(bench: Any, files: dict[str, Path], look: str) -> None:
    """The part, through JSON, onto a bare copy: the same picture and the same part again."""
    styled, bare = pair(files, look)
    part = json.loads(json.dumps(raster_part(styled), allow_nan=False))
    before = picture(bare)
    if look != "exact":  # 20, 60 … do not occur: nothing is drawn
        assert differing(picture(styled), before) > 0.05, "the bare copy looks like it already"
    check_raster(bare, part)
    assert np.array_equal(picture(bare), before), "checking changed something"
    patch_raster(bare, part)
    bare.setOpacity(styled.opacity())
    if look not in ("exact", "contour"):  # the contours' symbols are not in the document, and are told so
        assert differing(picture(styled), picture(bare)) <= 0.01
    assert raster_part(bare) == part
    assert part.get("unsupported", []) == (["contour symbols"] if look == "contour" else [])


@pytest.mark.parametrize("look", LOOKS)
def test_an_empty_patch_changes_nothing(bench: Any, files: dict[str, Path], look: str) -> None:
    """The picture, opacity included, stays."""
    styled, _ = pair(files, look)
    before, opacity = picture(styled), styled.opacity()
    patch_raster(styled, {})
    assert np.array_equal(picture(styled), before) and styled.opacity() == opacity


def test_classes_are_numbered_in_order(bench: Any, files: dict[str, Path]) -> None:
    """Entries of read_raster and ids of the part; a last class without a limit has no upper."""
    styled, _ = pair(files, "discrete")
    head, entries = read_raster(styled)
    assert (head["type"], head["interpolation"], head["band"]) == ("pseudocolor", "discrete", 1)
    assert [each.get("upper") for each in entries] == [20, 60, 120, None]
    assert entries[1]["color"] == "#31688e80" and entries[0]["label"] == "<= 20"
    assert list(raster_part(styled)["classes"]) == ["c1", "c2", "c3", "c4"]


def test_one_class_is_changed(bench: Any, files: dict[str, Path]) -> None:
    """Only its pixels look otherwise; a class is added and removed by its id."""
    styled, _ = pair(files, "discrete")
    before = picture(styled)
    patch_raster(styled, {"classes": {"c3": {"color": "#ff0000"}}})
    after = picture(styled)
    changed = (before != after).any(axis=2)
    assert changed.any() and (after[changed][:, :3] == [0, 0, 255]).all()
    patch_raster(
        styled, {"classes": {"c1": None, "c9": {"upper": 90, "color": "#00ff00", "label": "new", "order": 1.5}}}
    )
    assert [each.get("upper") for each in read_raster(styled)[1]] == [60, 90, 120, None]


def test_a_palette_colours_the_classes(bench: Any, files: dict[str, Path]) -> None:
    """In order, and turned round."""
    styled, _ = pair(files, "linear")
    patch_raster(styled, {"palette": "Blues"})
    blues = [each["color"] for each in read_raster(styled)[1]]
    assert blues == ["#eff3ff", "#bdd7e7", "#6baed6", "#2171b5"]  # ColorBrewer's Blues of four
    patch_raster(styled, {"reverse": True})
    assert [each["color"] for each in read_raster(styled)[1]] == blues[::-1]
    assert read_raster(styled)[0]["palette"] == "Blues" and read_raster(styled)[0]["reverse"] is True


def test_limits_alone_turn_a_stretch_on(bench: Any, files: dict[str, Path]) -> None:
    """And "none" turns it off, also where there are limits."""
    styled, _ = pair(files, "two bands")
    patch_raster(styled, {"stretch": {"red": {"min": 10, "max": 20}}})
    assert read_raster(styled)[0]["stretch"]["red"] == {"algorithm": "stretch", "min": 10, "max": 20}
    patch_raster(styled, {"stretch": {"red": {"algorithm": "none"}}})
    assert read_raster(styled)[0]["stretch"]["red"] == {"algorithm": "none"}


def test_another_kind_of_renderer_keeps_how_the_layer_is_drawn(bench: Any, files: dict[str, Path]) -> None:
    """Adjustments, resampling, nodata colour and opacity stay; what belonged to the old kind is gone."""
    styled, _ = pair(files, "colorized")
    styled.setOpacity(0.5)
    patch_raster(styled, {"type": "hillshade", "z_factor": 3})
    head, entries = read_raster(styled)
    assert (head["type"], head["z_factor"], head["azimuth"], entries) == ("hillshade", 3.0, 315.0, [])
    assert head["adjust"]["colorize"] == "#aa3311" and head["nodata_color"] == "#ff8800" and "gradient" not in head
    assert styled.opacity() == 0.5


def refusal(attempt: Callable[[], None]) -> dict[str, Any]:
    """The envelope of a refusal. (pytest.raises would keep the layers in a traceback until after QGIS has ended.)"""
    try:
        attempt()
    except ToolError as error:
        return error.envelope
    raise AssertionError("not refused")


@pytest.mark.parametrize(
    ("look", "patch", "said"),
    [
        ("gray", {"band": 2}, "band"),
        ("gray", {"band": 0}, "band"),
        ("gray", {"band": 1.5}, "band"),
        ("gray", {"strech": {}}, "stretch"),
        ("gray", {"stretch": {"min": 5, "max": 1}}, "min above"),
        ("gray", {"stretch": {"min": "5"}}, "stretch.min"),
        ("gray", {"type": "relief"}, "hillshade"),
        ("gray", {"type": None}, "type"),
        ("gray", {"type": "pseudocolor"}, "classes"),
        ("gray", {"type": "multiband"}, "bands"),
        ("gray", {"nodata_color": "red"}, "#rrggbb"),
        ("gray", {"adjust": {"brightness": 300}}, "brightness"),
        ("gray", {"adjust": {"hue": 3}}, "hue"),
        ("gray", {"resampling": {"zoomed_in": "lanczos"}}, "bilinear"),
        ("gray", {"transparent": [{"min": "a"}]}, "transparent[0].min"),
        ("gray", {"limits": {"cut": [98, 2]}}, "cut"),
        ("gray", "gray", "object"),
        ("linear", {"classes": {"c1": {"upper": 999}}}, "ascend"),
        ("linear", {"classes": {"c4": {"upper": None}}}, "upper"),
        ("linear", {"classes": {"c1": {"color": "#12345"}}}, "c1.color"),
        ("linear", {"classes": {"c1": {"label": "[% env('HOME') %]"}}}, "c1.label"),
        ("linear", {"classes": {"c1": {"label": "<img src=x>"}}}, "c1.label"),
        ("linear", {"classes": {"c1": {"upper": float("nan")}}}, "c1.upper"),
        ("linear", {"palette": "Jet"}, "Viridis"),
        ("linear", {"expression": "1"}, "expression"),
        ("paletted", {"classes": {"c1": {"value": 1}}}, "twice"),
        ("paletted", {"classes": {f"c{n}": None for n in range(1, 6)}}, "classes"),
        ("multiband", {"bands": [1, 2, 9]}, "bands"),
        ("multiband", {"bands": [1, 2]}, "three bands"),
        ("multiband", {"stretch": {"cyan": {}}}, "cyan"),
        ("hillshade", {"azimuth": 400}, "azimuth"),
        ("contour", {"interval": 0}, "interval"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_changes(
    bench: Any, files: dict[str, Path], look: str, patch: Any, said: str
) -> None:
    """INVALID_PARAM with the place and a hint; good parts of the same patch are not applied either."""
    styled, _ = pair(files, look)
    part, before = raster_part(styled), picture(styled)
    bad = {**patch, "adjust": {"contrast": 50, **patch.get("adjust", {})}} if isinstance(patch, dict) else patch
    for attempt in (check_raster, patch_raster):
        envelope = refusal(lambda attempt=attempt: attempt(styled, bad))
        assert envelope["code"] == "INVALID_PARAM" and envelope["hint"]
        assert said in f"{envelope['message']} {envelope['hint']}"
    assert raster_part(styled) == part and np.array_equal(picture(styled), before)
