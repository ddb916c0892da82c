"""From runs to tidy tables: intervals, slopes, and one module per table."""
