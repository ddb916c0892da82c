"""Parameter sweeps: a small YAML file in, the workflow's own rules, a table and a figure."""
