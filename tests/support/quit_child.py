"""QGIS ends while an algorithm in C++ runs on that nobody can interrupt. Prints "left" and how many ran on then."""

from __future__ import annotations

import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO), str(REPO / "tests" / "support")]

from fault_child import World  # noqa: E402  it needs the path above

COUNT = 50_000


def main() -> int:
    """Voronoi polygons of many points, stopped at once, then the end of QGIS."""
    folder = Path(sys.argv[1])
    world = World(folder)
    from fault_child import make_points
    from qgis.core import QgsVectorLayer

    from qgis_agent.gis.host import run_until
    from qgis_agent.gis.scratch import session_folder

    make_points(folder / "many.gpkg", COUNT)
    world.project.addMapLayer(QgsVectorLayer(str(folder / "many.gpkg"), "many", "ogr"))
    outcomes: list[dict[str, object]] = []
    running = world.begin(
        "run_algorithm", {"algorithm": "native:voronoipolygons", "parameters": {"INPUT": "many"}}, outcomes
    )
    run_until(lambda: world.calls_step() is not None, 20)
    run_until(lambda: False, 0.3)
    running.cancel()
    print("left", outcomes[0]["envelope"]["code"], world.host.detached.count, session_folder(), flush=True)
    world.calls.cancel_all()
    world.qgis.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
