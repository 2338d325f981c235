"""The commands, functions, unwinders and printers, one subject a file."""
