"""MCP on the QGIS side: which programs a person allowed, what each may do now, and the way to them. No widgets.

The protocol itself is spoken by the agent process (``agent/mcp``). Here are the settings (``settings.py``), the capabilities and
questions of clients (``desk.py``), where stored results came from (``origins.py``), the picture of the map (``picture.py``), and
the frames of a host's stdin and stdout (``relay.py``).
"""
