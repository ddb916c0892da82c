"""The paper's claims, each judged from the study's tables by a rule of its own.

config/claims.yaml says what is claimed and what would count as reproduced (`entries`); a rule
(`rules`) turns tables and thresholds into a verdict (`verdict`); `report` writes them down.
"""
