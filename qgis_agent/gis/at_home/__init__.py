"""Attribute values stay in QGIS: what of a tool's outcome may go to the agent process when the person wants that.

``passes.py`` lists what passes of each result, ``sentences.py`` lets only our own words and names through, ``projection.py``
applies both to everything that ``Calls`` gives out, ``report.py`` gives the person's report back what was left out, and
``conversations.py`` keeps conversations that hold values apart from those that hold none.
"""
