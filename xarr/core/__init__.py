"""The core: what is asked for is recorded, recognised and run. `tape` is compiled where it can be."""
