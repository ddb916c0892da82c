"""The paper's claims, judged from the study's tables, and the findings.

config/claims.yaml states each claim and what counts as reproduced (`entries`). A rule
(`reward_rules`, `theory_rules`) looks numbers up in the tables and returns a verdict (`evidence`).
`judge` applies the rules and writes the results. `findings` makes sentences of the same numbers.
"""
