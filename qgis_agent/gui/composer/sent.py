"""What was sent before, for Up: by project, in the plugin's private folder, so that it is there after a restart too."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from ...gis.host import Host
from ...gis.runs import records_folder
from ...gis.secrets import LOG_TAG, REDACTOR, log

MOST = 100
"""Messages of a project that are kept."""
MOST_PROJECTS = 40
MAX_BYTES = 4 * 1024 * 1024
LONGEST = 4000
"""Characters of a message that outlives QGIS."""


FILE_NAME = "sent.json"


class SentMessages:
    """The messages of one project, oldest first. ``path`` None: they are kept while QGIS runs, and no longer."""

    def __init__(self, path: Optional[Callable[[], Path]] = None, project: Callable[[], str] = lambda: "") -> None:
        self._path = path
        self._project = project
        self._all: Dict[str, List[str]] = {}
        self._loaded: Optional[str] = None

    def messages(self) -> List[str]:
        """What was sent in the open project."""
        key = self._key()
        if key != self._loaded:
            self._loaded = key
            if key and key not in self._all:
                self._all[key] = self._read().get(key, [])
        return self._all.setdefault(key, [])

    def add(self, text: str) -> None:
        """Keep a message; one that was just sent is not kept twice."""
        sent = self.messages()
        if not text or (sent and sent[-1] == text):
            return
        sent.append(text)
        del sent[:-MOST]
        self._write(self._key(), sent)

    def _key(self) -> str:
        """Names the project without telling where it lies; "" for one that was never saved."""
        name = self._project()
        return hashlib.sha256(os.path.realpath(name).encode("utf-8", "surrogatepass")).hexdigest()[:24] if name else ""

    def _read(self) -> Dict[str, List[str]]:
        path = self._path() if self._path is not None else None
        if path is None:
            return {}
        try:
            if path.stat().st_size > MAX_BYTES:
                return {}
            found: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # none yet, or not ours: a history is no loss
            return {}
        if not isinstance(found, dict):
            return {}
        return {
            str(key): [each for each in texts if isinstance(each, str)]
            for key, texts in found.items()
            if isinstance(texts, list)
        }

    def _write(self, key: str, sent: List[str]) -> None:
        """Put it in its place in one step; what other projects have there stays."""
        path = self._path() if self._path is not None else None
        if path is None or not key:
            return
        kept = self._read()
        kept.pop(key, None)
        kept[key] = REDACTOR.strings([each for each in sent if len(each) <= LONGEST])
        for oldest in list(kept)[:-MOST_PROJECTS]:
            del kept[oldest]
        draft = path.with_name(".{}.{}".format(path.name, uuid.uuid4().hex[:8]))
        try:
            handle = os.open(str(draft), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as opened:
                json.dump(kept, opened, ensure_ascii=False)
            os.replace(str(draft), str(path))
        except OSError as error:
            log("{}: {}".format(LOG_TAG, error))


def sent_messages(host: Optional[Host]) -> SentMessages:
    """Those of the open project; without a ``host`` they are forgotten with the panel."""
    if host is None:
        return SentMessages()
    return SentMessages(lambda: records_folder() / FILE_NAME, host.project.fileName)
