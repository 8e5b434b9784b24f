"""Say that a build was not verified yet."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.stages import unverified

    unverified.run(job)


if __name__ == "__main__":
    run(work, __doc__)
