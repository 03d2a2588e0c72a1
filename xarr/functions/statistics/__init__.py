"""Averages, what stands where among sorted elements, and histograms."""
