"""Exact evaluation: what a policy earns, and what each agent could gain by deviating from it."""
