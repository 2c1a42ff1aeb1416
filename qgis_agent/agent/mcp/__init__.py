"""The MCP server. Only ``service`` and ``clients`` are imported before a host is there: the SDK takes 0.8 s to load."""
