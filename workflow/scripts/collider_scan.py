"""Make one point of a scan of collider, or its picture."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.suites.collider import scan

    scan.run(job)


if __name__ == "__main__":
    run(work, __doc__)
