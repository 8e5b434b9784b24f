"""`python -m assay` is the command `assay`."""

import sys

from assay.cli import main

sys.exit(main())
