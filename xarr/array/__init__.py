"""The array, its operators, and the way of values in and out."""
