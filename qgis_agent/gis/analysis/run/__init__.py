"""The one run path: a plan, each algorithm in a task, every output read back."""
