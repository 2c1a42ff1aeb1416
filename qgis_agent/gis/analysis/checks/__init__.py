"""What a result must satisfy before it counts as one."""
