"""Programs at functions and tracepoints of modules, by Debian's unmodified bpftrace and bpftool, as on Linux 6.1.

All of it is in `make soak` only, because it downloads some thirty packages. The machine reads sample-count's file all the time, so
that the function of the module which shows it is called; the thread of trace-events-sample calls its tracepoints once a second.
"""
import re

import pytest

from conftest import root_with
from nop5 import Nop5, has_in_order

pytestmark = pytest.mark.soak
BAD = re.compile(r"BUG:|WARNING: CPU|Oops|lockup|LOCKUP|Call Trace")
SHOW = "sample_count_show"
END = " interval:s:2 { exit(); }"
# {what bpftrace runs: regular expressions that its output has in this order}
PROGRAMS = {
    f"kfunc:{SHOW} {{ @[comm, args->m->size] = count(); }}": [r"@\[cat, [1-9]\d*\]: \d+"],
    f"kretfunc:{SHOW} {{ @[retval] = count(); @m[args->m->count] = count(); }}": [r"@\[0\]: [1-9]\d*", r"@m\[[1-9]\d*\]: \d+"],
    f"kprobe:{SHOW} {{ @[func] = count(); }}": [rf"@\[{SHOW}\]: [1-9]\d*"],
    f"kretprobe:{SHOW} {{ @ = hist(retval); }}": [r"@:", r"\[0\] +[1-9]\d* \|@+\|"],
    'tracepoint:sample-trace:foo_bar { @[str(args->foo)] = count(); }': [],
}


@pytest.fixture(scope="module")
def machine(images):
    root = root_with(images, "bpftrace", ["bpftrace", "bpftool"])
    with Nop5(build=images, cpus=2, mem="2G", initrd=root) as machine:
        machine.wait_prompt()
        yield machine
        assert not BAD.search(machine.text), machine.says
