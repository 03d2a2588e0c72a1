"""What a kernel is: its form, its text, how it is compiled, kept on disk and launched."""
