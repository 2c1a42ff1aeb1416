"""What the algorithms that start the agent learn from the QGIS that they run in. No widgets here: ``plugin.py`` knows those."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

from qgis.core import QgsProcessingException, QgsProject

from ..gis.host import Host
from ..gis.i18n import translate
from ..gis.runs import OFFLINE


class Desk:
    """A QGIS without the panel and without a model: ``qgis_process`` before settings are read, and tests."""

    def __init__(self) -> None:
        self._taken = False

    def model_config(self) -> Dict[str, Any]:
        """Who answers by the person's settings, as ``RunController.configure_model`` takes it."""
        return dict(OFFLINE)

    def host_of(self, _project: QgsProject) -> Optional[Host]:
        """The panel's host of an open project, so that what is done can be undone there; None without a panel."""
        return None

    def is_running(self) -> bool:
        """Whether the panel carries out a request."""
        return False

    @contextmanager
    def one_at_a_time(self) -> Iterator[None]:
        """Holds the one place for a request. QgsProcessingException where another one goes on: their changes would mix."""
        if self._taken or self.is_running():
            raise QgsProcessingException(
                translate("QgisAgent", "QGIS Agent is carrying out another request. Wait for its end, or stop it.")
            )
        self._taken = True
        try:
            yield
        finally:
            self._taken = False
