"""The multiverse: every claim judged in every defensible reading of what the paper leaves open."""
