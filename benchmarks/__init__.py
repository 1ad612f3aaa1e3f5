"""What is measured, how, and against whom; each module is a command."""

import os

# As the program itself does before it loads a model: threads of numpy cost more than they give in a search.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
