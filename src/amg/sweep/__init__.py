"""Parameter sweeps: a small YAML file in, runs of the workflow's own rules, a table and a figure."""
