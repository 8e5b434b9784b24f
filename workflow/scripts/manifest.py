"""Hash what was built, by file and by column."""

from assay.job import Job, run


def work(job: Job) -> None:
    """Do the work; what it needs is imported here, after the store was asked."""
    from assay.stages import manifest

    manifest.run(job)


if __name__ == "__main__":
    run(work, __doc__)
