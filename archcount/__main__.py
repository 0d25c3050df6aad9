"""`python -m archcount`."""

import sys

from .cli import main

sys.exit(main())
