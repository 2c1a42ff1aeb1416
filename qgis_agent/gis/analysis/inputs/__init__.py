"""What is looked at before an analysis."""
