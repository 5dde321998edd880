"""What the games of this project share, and nothing of any one game."""
