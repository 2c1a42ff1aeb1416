"""Short commands in English and Chinese that work without a model, through the same loop and tools."""
