"""Everything that trains or measures agents: ``python -m training COMMAND``."""
