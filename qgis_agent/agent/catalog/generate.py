"""``python -m qgis_agent.agent.catalog.generate``: write resources/tools.schema.json from the contracts."""

from __future__ import annotations

from .registry import SCHEMA_PATH, schema_text


def main() -> None:
    """Write the file."""
    SCHEMA_PATH.write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
