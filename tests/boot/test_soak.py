"""`make soak`: hackbench and stress together on 8 CPUs, for ten minutes or more of the machine's time."""
import re

import pytest

from nop5 import resources, resources_return_to

MINUTES = 10


@pytest.mark.soak
def test_ten_minutes_of_hackbench_and_stress_on_8_cpus_leave_a_sound_machine(boot):
    nop5 = boot(cpus=8, mem="512M")

    def uptime():
        return float(nop5.check("cat /proc/uptime").split()[0])

    def round_of_loads(seconds, loops):
        nop5.run(f"stress -c 8 -m 8 -t {seconds} &")
        assert nop5.run(f"hackbench -g 8 -l {loops}").status == 0
        assert not re.search("mismatch|fail", nop5.check("wait"))

    round_of_loads(2, 100)
    before = resources(nop5)
    start = uptime()
    while uptime() - start < MINUTES * 60:
        round_of_loads(30, 500)
    resources_return_to(nop5, before)
    assert not re.search(r"BUG|WARNING|Oops|lockup|LOCKUP", nop5.text)
    assert nop5.check("tail -n 1 /sys/kernel/debug/page_tables").strip() == "W+X pages: 0"
    nop5.poweroff()
