"""Say how every agent works, by what is logged."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.stages import profile

    profile.run(job)


if __name__ == "__main__":
    run(work, __doc__)
