"""The core: what is asked for is recorded, recognised and run; compiled where it can be."""
