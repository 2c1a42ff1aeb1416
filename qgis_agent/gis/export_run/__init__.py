"""A run as a Processing model (``model.py``) and as a PyQGIS script (``script.py``), from its trace (``steps.py``)."""
