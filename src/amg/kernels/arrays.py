"""Short names for the types of arrays in kernels; their axes are stated where they are declared."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
