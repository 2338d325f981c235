"""A call site that does not match its record: the mismatch is reported, ftrace shuts down, and the machine goes on.

gdb changes one byte of the nop, in a way that keeps it a nop. The kernel is a DEBUG build, which poisons freed memory,
so a use after free is seen.
"""
import re

import pytest

from nop5 import finish, gdb, gdb_port

TRACING = "/sys/kernel/tracing"
SITE = "cmdline_proc_show"
USERS = {
    "function": f"echo {SITE} > {TRACING}/set_ftrace_filter; echo function > {TRACING}/current_tracer",
    "function_graph": f"echo {SITE} > {TRACING}/set_ftrace_filter; echo function_graph > {TRACING}/current_tracer",
    "all functions": f"echo function > {TRACING}/current_tracer",
    "livepatch": "modprobe livepatch-sample",
    "a probe": f"echo {SITE}:traceoff > {TRACING}/set_ftrace_filter",
}

pytestmark = pytest.mark.variant


@pytest.fixture
def machine(boot, variant, tmp_path):
    """A machine with a method break_site(), which changes the nop."""
    build = variant("DEBUG=1", modules=True)
    machine = boot(cpus=4, build=build, append="panic=0", extra=gdb_port(tmp_path))
    machine.break_site = lambda: finish(gdb(tmp_path, f"set {{char}}((char *){SITE} + 4) = 8", build=build))
    return machine


def mismatches(machine):
    """Return the functions with sites that do not match their records."""
    text = machine.check("cat /sys/kernel/debug/ftrace_verify")
    names = re.findall(r"^[0-9a-f]{16} (\w+)\+0x0/", text, re.M)
    assert re.search(rf"^\d+ sites, {len(names)} mismatches$", text, re.M), text
    return names


def is_refused(machine, command):
    result = machine.run(command)
    assert result.status and "No such device" in result.output, result.output


@pytest.mark.parametrize("user", USERS)
def test_a_user_of_a_broken_site_is_refused_and_leaves_nothing_behind(machine, user):
    machine.break_site()
    is_refused(machine, USERS[user])
    assert re.search(rf"ftrace: cannot patch {SITE}\+0x0/0x[0-9a-f]+ \[<[0-9a-f]+>\]: error -22, shutting down\n"
                     r".*ftrace: expected 0f 1f 44 00 00, found 0f 1f 44 00 08, wanted e8( [0-9a-f]{2}){4}\n", machine.text)
    assert mismatches(machine) == [SITE]
    assert machine.check(f"cat {TRACING}/enabled_functions") == ""
    assert machine.check(f"cat {TRACING}/current_tracer") == "nop\n"
    machine.check("hackbench -g 1 -l 10")
    assert machine.check("cat /proc/cmdline") == "panic=0\n"
    is_refused(machine, f"echo function > {TRACING}/current_tracer")
    assert machine.text.count("WARNING: ") == 1
    machine.poweroff()


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_an_earlier_user_can_be_removed_and_is_not_called_any_more(machine, tracer):
    machine.check(f"cd {TRACING}; mkdir instances/a; echo vfs_read > instances/a/set_ftrace_filter; "
                  f"echo {tracer} > instances/a/current_tracer")
    machine.break_site()
    is_refused(machine, USERS["livepatch"])
    machine.check("cat /proc/cmdline")
    assert "vfs_read" in machine.check("tail -n 1 instances/a/trace")  # its callback is still called
    machine.check("rmdir instances/a; hackbench -g 1 -l 10")
    assert mismatches(machine) == [SITE, "vfs_read"]  # vfs_read calls a trampoline without a callback
    assert machine.text.count("WARNING: ") == 1
    machine.poweroff()


def test_a_shared_filter_stays_the_same_for_all_its_users_when_a_change_cannot_take_effect(machine):
    """The graph tracer and the profiler use the filter of the function tracer."""
    machine.check(f"cd {TRACING}; echo vfs_read > set_ftrace_filter; echo function_graph > current_tracer; "
                  "echo 1 > function_profile_enabled")
    machine.break_site()
    machine.check(f"echo {SITE} >> set_ftrace_filter")  # takes effect when the file is closed, so echo gets no error
    assert f"ftrace: cannot patch {SITE}+0x0/" in machine.text
    machine.check("sleep 0.1; hackbench -g 1 -l 10")  # the old filter is freed after a grace period
    assert "vfs_read" in machine.check("cat trace") and "vfs_read" in machine.check("cat trace_stat/function0 trace_stat/function1 "
                                                                                             "trace_stat/function2 trace_stat/function3")
    machine.check("echo 0 > function_profile_enabled; echo nop > current_tracer; hackbench -g 1 -l 10")
    assert machine.text.count("WARNING: ") == 1
    machine.poweroff()
