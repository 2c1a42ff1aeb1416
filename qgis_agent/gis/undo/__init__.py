"""Taking back what a run of the agent did, without destroying what the person did since."""
