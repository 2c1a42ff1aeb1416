"""Any algorithm by its id: found, described, admitted, its parameters read, run."""
