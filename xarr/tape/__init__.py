"""The tape: instructions that were asked of a device and have not run, and how they get there."""
