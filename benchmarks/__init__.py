"""What xarr costs and what it gains, beside the libraries it is compared with.

`python -m benchmarks` measures everything in one run, the libraries taking turns, because a
machine's speed changes from one minute to the next. Ratios of one run are what counts.
"""
