"""`python -m assay` is the command `assay`."""

import sys

from assay.cli.main import main

sys.exit(main())
