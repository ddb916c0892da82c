# What a cluster has to know of training jobs; local runs take no notice. The rules of batches have
# generated names, which workflow/profiles/slurm cannot list as it does the others.

from hashlib import sha256

SHORT = 30  # minutes: batches that ask for no more share submissions
LONGEST = 45  # characters of a rule's name


def rule_name(batch):
    """Its beginning and a digest: the plugin makes one name of a directory from five of them."""
    digest = sha256(batch.rule.encode()).hexdigest()[:8]
    return f"{batch.rule[: LONGEST - 9]}_{digest}"


def minutes(batch):
    """Time to ask for: ten minutes, and several times the 0.1 µs · N² that a visit takes."""
    parts = getattr(batch, "items", [batch])
    visits = sum(
        part.episodes * len(part.seeds) * part.series.game.T * part.series.game.N**2
        for part in parts
    )
    return 10 + visits // 150_000_000


def runtime(batch):
    """More time at each attempt."""
    return lambda wildcards, attempt: attempt * minutes(batch)


def group(batch):
    """The group of short batches, if a profile has one that it cuts into submissions."""
    short = minutes(batch) <= SHORT
    return lambda wildcards: "train" if short and "train" in _components() else None


def _components():
    """What the profile says of groups, known only once all rules are read."""
    return workflow.group_settings.group_components
