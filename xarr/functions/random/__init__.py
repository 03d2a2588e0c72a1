"""Random numbers: generators, distributions, permutations. `xarr.random` gathers the names."""
