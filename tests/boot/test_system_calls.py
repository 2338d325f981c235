"""docs/system-calls.md lists the system calls that the kernel has."""
import re
import subprocess

from nop5 import ROOT

PAGE = ROOT / "docs/system-calls.md"


def test_the_page_is_what_the_source_says():
    result = subprocess.run([ROOT / "scripts/syscalls-doc", "--check"], text=True, capture_output=True)
    assert result.returncode == 0, result.stderr


def test_each_call_of_the_page_has_its_events_and_no_other_call_has(nop5):
    listed = re.findall(r"^\| \d+ \| `(\w+)\(", PAGE.read_text(), re.M)
    events = re.findall(r"^syscalls:sys_enter_(\w+)$", nop5.check("cat /sys/kernel/tracing/available_events"), re.M)
    assert sorted(events) == sorted(listed)
    assert "read" in listed and len(listed) == len(set(listed))
