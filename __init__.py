"""QGIS Agent: the entry point that QGIS calls."""


def classFactory(iface):  # noqa: N802, ANN001, ANN201
    """Make the plugin. Imports stand here, because pytest imports this file by itself, outside its package."""
    from .qgis_agent.plugin import AgentPlugin

    return AgentPlugin(iface)
