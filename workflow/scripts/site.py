"""Write the pages that show all suites."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.stages import site

    site.run(job)


if __name__ == "__main__":
    run(work, __doc__)
