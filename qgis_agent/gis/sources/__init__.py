"""Where data comes from: files and services that become layers, and what can be told of them before that."""
