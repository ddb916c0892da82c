"""What Snakemake shows: its plugin `--logger amg`, found by the name of this package."""

from amg.process.console import LogHandler

__all__ = ["LogHandler"]
