"""The intermediate representation: the few shapes that all know from the rows to the backends."""
