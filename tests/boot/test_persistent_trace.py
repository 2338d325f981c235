"""The trace survives a reboot: reserve_mem=, trace_instance=NAME@AREA.

The machine restarts inside the same QEMU, which keeps the RAM, as a warm reboot does. The commands are those of
docs/persistent-trace.md.
"""
import re

import pytest

from nop5 import ROOT, Nop5
from reboots import RESET, area, reset_with_flips, run_page, wait_for_restart, words_of

PAGE = ROOT / "docs/persistent-trace.md"
LAST = "/sys/kernel/tracing/instances/last"
COPY = "/sys/kernel/tracing/instances/copy"


def kept_and_damaged(nop5):
    text = nop5.check(f"cat {LAST}/last_boot_info")
    return tuple(map(int, re.search(r"sub-buffers: (\d+) kept, (\d+) damaged", text).groups()))


@pytest.fixture(scope="module")
def machine(images):
    """A machine after the commands of the page: it has panicked with all traced and 4 CPUs busy, and has restarted."""
    nop5 = Nop5(kernel="nop5-test", build=images, cpus=4, append=f"{words_of(PAGE)} trace_instance=copy=last", extra=RESET)
    nop5.wait_prompt()
    # The buffer of each CPU is full when the machine panics. The shell gives its CPU to no task of hackbench then: that would write
    # over the last call of the shell, provoke_panic(), if the host stopped this CPU for the length of a time slice.
    run_page(nop5, PAGE, before_the_crash="hackbench -g 1 -l 1000000 > /dev/null & "
             f"while grep -q '^overrun: 0$' {LAST}/per_cpu/cpu*/stats; do :; done; chrt -f -p 1 $$ > /dev/null")
    yield nop5
    nop5.close()


def test_the_function_that_panicked_is_at_the_end_of_the_trace(machine):
    kept, damaged = kept_and_damaged(machine)
    assert kept > 100 and damaged == 0
    cpu = machine.check(f"grep -l 'provoke_panic()' {LAST}/per_cpu/*/trace").strip()
    trace = machine.check(f"sed -n '/provoke_panic()/,$p' {cpu} | tail -n 200")
    calls = re.findall(r"(\w+)\(\)", trace)
    assert calls[0] == "provoke_panic" and set(calls) & {"panic", "vpanic"} and not [name for name in calls if name.startswith("__x64_sys_")], trace
    others = machine.check(f"for cpu in 0 1 2 3; do grep -c '|' {LAST}/per_cpu/cpu$cpu/trace; done").split()
    assert all(int(count) > 100 for count in others), others


def test_the_buffer_of_the_last_boot_cannot_be_resized_or_removed(machine):
    for command in (f"echo 100 > {LAST}/buffer_size_kb", f"echo 1 > {LAST}/snapshot", f"rmdir {LAST}"):
        result = machine.run(command)
        assert result.status and "Device or resource busy" in result.output, command


def test_a_copy_has_the_trace_of_the_last_boot(machine):
    """trace_instance=copy=last, as in Linux 6.19."""
    assert machine.check(f"cat {COPY}/tracing_on") == "0\n"
    both = machine.check(f"for i in {LAST} {COPY}; do grep -v '^#' $i/trace > /tmp/trace; md5sum < /tmp/trace; grep -c . /tmp/trace; done; rm /tmp/trace").split()
    assert both[:3] == both[3:] and int(both[2]) > 1000, both
    assert "Device or resource busy" in machine.run(f"rmdir {COPY}").output
    assert "No such device" in machine.run(f"trace-map {COPY}/per_cpu/cpu0/trace_pipe_raw").output


def test_a_program_maps_the_trace_of_the_last_boot(machine):
    said = machine.check(f"trace-map {LAST}/per_cpu/cpu1/trace_pipe_raw")
    subbufs = [int(events) for events in re.findall(r"^sub-buffer \d+: \d+ bytes, (\d+) events", said, re.M)]
    entries, read = map(int, re.search(r"^(\d+) entries written, (\d+) read", said, re.M).groups())
    assert len(subbufs) > 10 and sum(subbufs) == read == entries, said


def test_a_new_trace_replaces_that_of_the_last_boot(machine):
    machine.check(f"cd {LAST}; echo 1 > tracing_on; echo new > trace_marker")
    trace = machine.check("grep -v '^#' trace")
    assert trace.count("\n") == 1 and "new" in trace, trace
    assert machine.check("head -n 1 last_boot_info") == "# Current\n"
    assert "provoke_panic()" in machine.check(f"grep provoke_panic {COPY}/trace")


# Each test below leaves one more trace for the next boot.

def trace_functions(nop5):
    nop5.check(f"cd {LAST}; echo 0 > tracing_on; echo > trace; echo function > current_tracer; echo 1 > tracing_on; "
               "hackbench -g 1 -l 5 > /dev/null")


def sysrq_reboot(nop5):
    nop5.send("echo b > /proc/sysrq-trigger\n")


def triple_fault(nop5):
    nop5.send("echo TRIPLE_FAULT > /sys/kernel/debug/provoke-crash/DIRECT\n")


@pytest.mark.parametrize("restart, last", [
    pytest.param(lambda nop5: nop5.send("echo EXCEPTION > /sys/kernel/debug/provoke-crash/DIRECT\n"), "provoke_exception", id="oops"),
    pytest.param(lambda nop5: nop5.send("reboot -f\n"), "machine_restart", id="reboot"),
    pytest.param(sysrq_reboot, "machine_restart", id="sysrq"),
    pytest.param(lambda nop5: nop5.qemu_command("system_reset"), None, id="reset by the machine"),
    pytest.param(triple_fault, "machine_triple_fault", id="triple fault"),
])
def test_the_trace_ends_where_the_machine_stopped(machine, restart, last):
    trace_functions(machine)
    restart(machine)
    wait_for_restart(machine)
    kept, damaged = kept_and_damaged(machine)
    assert kept > 100 and damaged == 0
    if last:
        assert f": {last} <-" in machine.check(f"grep -h ': {last} <-' {LAST}/per_cpu/*/trace | tail -n 1")


@pytest.mark.parametrize("bits", [1, 20, 400])
def test_flipped_bits_cost_only_the_sub_buffers_where_they_are(machine, tmp_path, bits):
    trace_functions(machine)
    machine.check("echo 0 > tracing_on; cd /")
    reset_with_flips(machine, tmp_path, [area(machine, "trace")], bits, seed=bits)
    kept, damaged = kept_and_damaged(machine)
    assert kept + damaged <= 256
    assert damaged <= bits and (kept > 0 if bits < 256 else damaged > 20)
    text = machine.check(f"cat {LAST}/trace | tail -n 2; cat {LAST}/per_cpu/*/trace_pipe_raw | wc -c; dmesg | grep -c -E 'BUG|WARN' || true")
    assert text.splitlines()[-1] == "0", text
