"""Play, score and audit one shard of an agent whose log is kept as a digest only."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.stages import sweep

    sweep.run(job)


if __name__ == "__main__":
    run(work, __doc__)
