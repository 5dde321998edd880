import numpy as np
NUM_FEATURES = 26
WEIGHTS = np.zeros((6, 2, NUM_FEATURES))
WEIGHTS[:, 0, 1] = 0.5
WEIGHTS[:, 0, 2] = 4
WEIGHTS[:, 0, 3] = -1
WEIGHTS[:, 0, 4] = 1
WEIGHTS[:, 0, 5] = -1
WEIGHTS[:, 0, 6] = 1
WEIGHTS[:, 0, 7] = -1
WEIGHTS[:, 0, 8] = 1
WEIGHTS[:, 0, 13] = 0.3
WEIGHTS[4:, 0, 20] = 2
WEIGHTS[4:, 0, 21] = 2
