"""The tests mirror the modules of xarr."""
