"""PLACEHOLDER while under construction"""

from __future__ import annotations


class Finding: ...


def read_findings(node, axes, measures, target):
    return ()
