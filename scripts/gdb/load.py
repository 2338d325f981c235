"""What gdb knows about nop5: stacks, tasks, per-CPU variables, the log, call sites and traces. docs/debugging.md.

`make debug` loads this file; `source scripts/gdb/load.py` does it by hand. The commands only read memory, so they also work
when the kernel hangs.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from nop5 import dmesg, kernel, printers, sites, tasks, trace, unwind, user  # noqa: E402

for subject in (kernel, unwind, tasks, dmesg, sites, trace, printers, user):
    subject.register()
