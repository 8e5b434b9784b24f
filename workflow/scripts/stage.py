"""Run one job of a stage: stage.py NAME ARGUMENT ...

NAME is a module of `assay.stages` (`scores`, `pages.site`), or the full name of any other module of the
package that has a function `run(job)`.
"""

import sys
from importlib import import_module

from assay.build.job import Job, run


def work(job: Job) -> None:
    """Run the stage. Heavy imports happen here, so that a cache hit does not pay for them."""
    import_module(module).run(job)


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    module = name if name.startswith("assay.") else f"assay.stages.{name}"
    run(work, __doc__, sys.argv[2:])
