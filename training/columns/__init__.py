"""Numbers of finished games, one module for each game: kernels, cached apart from the rest of `training`."""
