"""One module a backend, each driving one kind of device; imported lazily, at first use."""
