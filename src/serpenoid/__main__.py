"""`python -m serpenoid` is the command line."""

import sys

from serpenoid.cli import main

sys.exit(main())
