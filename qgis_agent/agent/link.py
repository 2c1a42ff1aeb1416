"""Requests to the QGIS side as something to await."""

from __future__ import annotations

import asyncio
from typing import Any

from ..bridge.peer import Peer, RpcError


class PeerBridge:
    """See QgisBridge. Cancelling the task that waits cancels the request on the other side too."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """The answer of the QGIS side. Raises RpcError."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def answered(result: Any, error: RpcError | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        ident = self._peer.request(method, params, answered)
        try:
            return await future
        except asyncio.CancelledError:
            self._peer.cancel(ident)
            raise
