"""The paper's claims, judged from the study's tables, and the findings.

config/claims.yaml states each claim and what counts as reproduced (`entries`). A rule (`rules`)
looks numbers up in the tables (`evidence`) and returns a verdict (`verdict`). `judge` applies the
rules, `findings` makes sentences of the same numbers, and `report` writes both to files.
"""
