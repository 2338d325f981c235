"""Watchpoint events: errors, fields of objects, variables of programs and modules, perf beside them. docs/watchpoints.md is typed by test_docs."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from nop5 import ROOT, Nop5  # noqa: E402
from probed import build  # noqa: E402

# Lines of dynamic_events that are refused, with a caret before what is wrong, and why: linux-next's test wprobes_syntax_errors has these.
ERRORS = """
w ^rt_runtime_us          Access memory address requires @
w ^a@rt_runtime_us        Bad memory access type
w ^r@rt_runtime_us        Bad memory access type
w w@^no_such_symbol       Invalid access memory address
w w@^rt_runtime_us+1      Invalid access memory address
w w@rt_runtime_us^+offset Invalid access memory address
w w@rt_runtime_us:^100    This memory access length is not supported
w w@rt_runtime_us ^$arg1  Invalid $-variable specified
w w@rt_runtime_us ^$stack Invalid $-variable specified
w w@rt_runtime_us ^%ax    Invalid $-variable specified
w w@rt_runtime_us (^no_such)$addr->x This is not a pointer to union/structure.
w w@rt_runtime_us (inode)$addr->^i_none This field is not found.
""".strip().splitlines()


@pytest.fixture(scope="module")
def watched(images, tmp_path_factory):
    directory = tmp_path_factory.mktemp("watched")
    program, addresses, _ = build(directory)
    archive = directory / "watched.cpio"
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    machine = Nop5(build=images, cpus=4, initrd=str(archive)).wait_prompt()
    machine.check("stty cols 4000; cd /sys/kernel/tracing")
    machine.addresses = addresses
    yield machine
    assert not re.search(r"BUG|WARNING|Oops|Call Trace", machine.text), machine.says
    machine.close()


@pytest.fixture(autouse=True)
def nothing_defined(watched):
    yield
    watched.check("echo 0 > events/enable; for f in $(grep -l '^[a-z]' events/*/*/trigger); do grep '^[a-z]' $f | sed 's/^/!/' > /tmp/lines; "
                  "while read -r line; do echo \"$line\" >> $f; done < /tmp/lines; done; echo > dynamic_events; echo > trace")


@pytest.mark.parametrize("line", ERRORS, ids=lambda line: line.split("  ")[0])
def test_what_is_wrong_is_named_and_its_place(watched, line):
    command, why = re.fullmatch(r"(.*?) {1,}([A-Z].*)", line).groups()
    watched.check("echo > error_log")
    assert "Invalid argument" in watched.run(f"echo '{command.replace('^', '')}' >> dynamic_events").output
    log = watched.check("cat error_log").splitlines()
    assert log[0].endswith(f"wprobe: error: {why}")
    assert log[1:3] == [f"  Command: {command.replace('^', '')}", " " * (len("  Command: ") + command.index("^")) + "^"]


def values(machine, event):
    """[(task, place, value)] of the entries."""
    return re.findall(rf"^ *(\S+)-\d+ .*: {event}: \((.*?)\) value=(\S+)", machine.check("cat trace"), re.M)


def test_a_variable_of_a_program(watched):
    address = watched.addresses["total"]
    watched.check(f"echo 'w:total w@{address:#x}:4 value=$value:s32' > dynamic_events; echo 1 > events/wprobes/total/enable")
    result = int(watched.check("/bin/probed signals 3").split()[-1])
    watched.check("echo 0 > events/wprobes/total/enable")
    found = values(watched, "total")
    assert found and {task for task, _, _ in found} == {"probed"}
    assert all(re.fullmatch(r"0x4[0-9a-f]{5}", place) for _, place, _ in found)
    assert found[-1][2] == str(result)


def test_a_variable_of_a_module(nop5):
    nop5.check("cd /sys/kernel/tracing; modprobe preemptirq_delay_test; echo 'w rw@preemptirq_delay_test:delay:8 value=$value:u64' > dynamic_events")
    name = "w_preemptirq_delay_test_delay_8"
    assert nop5.check("cat dynamic_events") == f"w:wprobes/{name} rw@preemptirq_delay_test:delay:8 value=$value:u64\n"
    nop5.check("echo 1 > events/wprobes/enable; cat /sys/module/preemptirq_delay_test/parameters/delay; echo 0 > events/wprobes/enable")
    found = values(nop5, name)
    nop5.check("echo > dynamic_events; echo > trace; rmmod preemptirq_delay_test; cd /")
    assert [(task, value) for task, _, value in found] == [("cat", "100")]


def test_filters_histograms_stacks_and_instances(watched):
    watched.check("echo 'w:limit w@rt_runtime_us:4 value=$value:s32' > dynamic_events; mkdir -p instances/i; cd events/wprobes/limit; "
                  "echo 'value > 900000' > filter; echo stacktrace > trigger; echo hist:keys=value >> trigger; echo 1 > enable; "
                  "cd /sys/kernel/tracing; echo 1 > instances/i/events/wprobes/limit/enable")
    watched.check("for n in 900000 910000 920000 950000; do echo $n > /proc/sys/kernel/sched_rt_runtime_us; done; echo 0 > events/wprobes/enable")
    assert [value for _, _, value in values(watched, "limit")] == ["910000", "920000", "950000"]
    assert " => proc_rt_runtime\n" in watched.check("cat trace")
    assert len(re.findall(r"value: +\d+ } hitcount: +1$", watched.check("cat events/wprobes/limit/hist"), re.M)) == 4
    assert watched.check("grep -c limit: instances/i/trace").strip() == "4"
    watched.check("rmdir instances/i; echo '!hist:keys=value' >> events/wprobes/limit/trigger")


def test_a_watchpoint_follows_objects(watched):
    """Each file in turn: from its truncation to its end."""
    watched.check("echo 'w:size w@-1:8 value=$value:u64' > dynamic_events; echo 'f:begin vfs_truncate inode' >> dynamic_events; "
                  "echo 'f:end tmpfs_evict_inode inode' >> dynamic_events; echo 'set_wprobe:size:(inode)inode->i_size' > events/fprobes/begin/trigger; "
                  "echo 'clear_wprobe:size:(inode)inode->i_size' > events/fprobes/end/trigger")
    for n in range(5):
        watched.check(f"printf %{n + 1}s > /tmp/w; : > /tmp/w; printf %{n + 11}s > /tmp/w; printf %30s > /tmp/other; rm /tmp/w /tmp/other")
    assert [int(value) for _, _, value in values(watched, "size")] == [size for n in range(5) for size in (0, 0, n + 11)]
    assert "Device or resource busy" in watched.run("echo -:size >> dynamic_events").output


def test_triggers_count_and_refuse_what_they_cannot_do(watched):
    watched.check("echo 'w:size w@-1:8 value=$value' > dynamic_events; echo 'f:begin vfs_truncate inode length' >> dynamic_events")
    trigger = "events/fprobes/begin/trigger"
    for line in ("set_wprobe", "set_wprobe:size", "set_wprobe:none:inode", "set_wprobe:size:none", "set_wprobe:size:common_pid", "set_wprobe:size:inode+x",
                 "set_wprobe:size:(inode)inode", "set_wprobe:size:(inode)inode->none", "set_wprobe:size:(none)inode->i_size", "clear_wprobe:none"):
        assert "write error" in watched.run(f"echo '{line}' >> {trigger}").output, line
    watched.check(f"echo 'set_wprobe:size:(inode)inode->i_size:2 if length == 0' >> {trigger}")
    assert "File exists" in watched.run(f"echo set_wprobe:size:inode >> {trigger}").output
    watched.check(f"echo clear_wprobe:size:1 >> {trigger}")
    assert watched.check(f"cat {trigger}") == "clear_wprobe:size:count=1\nset_wprobe:size:(inode)inode->i_size:count=2 if length == 0\n"


def test_a_trigger_keeps_the_probe_that_it_changes(watched):
    """One of several probes of an event may go, but not the first, which the trigger clears."""
    watched.check("echo 'w:two w@-1:8' > dynamic_events; echo 'w:two rw@-1:8' >> dynamic_events; echo 'f:begin vfs_truncate inode' >> dynamic_events; "
                  "echo clear_wprobe:two > events/fprobes/begin/trigger")
    assert "Device or resource busy" in watched.run("echo '-:two w@-1:8' >> dynamic_events").output
    watched.check("echo '-:two rw@-1:8' >> dynamic_events; : > /tmp/w; rm /tmp/w; echo '!clear_wprobe:two' >> events/fprobes/begin/trigger; echo '-:two w@-1:8' >> dynamic_events")
    assert "two" not in watched.check("cat dynamic_events")


def test_casts_in_the_arguments_of_other_probes(watched):
    watched.check("echo 'p:k vfs_truncate size=(inode)%di->i_size' > dynamic_events; echo 'f:f vfs_truncate $arg* same=(inode,i_size)(+0($arg1))->i_size' >> dynamic_events; "
                  "echo 'e:e workqueue.workqueue_execute_start what=(work_struct)work->func:symbol' >> dynamic_events; "
                  "echo 1 > events/kprobes/enable; echo 1 > events/eprobes/enable")
    watched.check("printf %7s > /tmp/w; : > /tmp/w; echo 0 > events/kprobes/enable; echo 0 > events/eprobes/enable; rm /tmp/w")
    trace = watched.check("cat trace")
    assert re.search(r": k: \(vfs_truncate\+0x0/0x\w+\) size=7$", trace, re.M), trace
    assert re.search(r": e: \(workqueue\.workqueue_execute_start\) what=\w+\+0x0", trace), trace
    assert "Invalid argument" in watched.run("echo 'p /bin/probed:0x10 x=(inode)%di->i_size' >> uprobe_events").output
