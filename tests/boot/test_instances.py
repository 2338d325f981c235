"""Instances have buffers, tracers, filters, options and files of their own. They are created and removed while others trace."""
import re

import pytest

from nop5 import resources, resources_return_to

TRACING = "/sys/kernel/tracing"
TOP_ONLY = {"README", "available_filter_functions", "dyn_ftrace_total_info", "dynamic_events", "synthetic_events",
            "enabled_functions", "instances",
            "printk_formats", "saved_cmdlines", "saved_cmdlines_size", "saved_tgids"}


@pytest.fixture
def tracing(nop5):
    nop5.check(f"cd {TRACING}")
    yield nop5
    for name in nop5.check(f"cd {TRACING}; ls instances").split():
        nop5.check(f"rmdir instances/{name}")
    nop5.check("echo nop > current_tracer; echo > set_ftrace_filter; echo > trace")


def functions(machine, directory="."):
    """Counts the calls of each function in a trace."""
    counts = {}
    for name in re.findall(r": (\S+) <-\S+$", machine.check(f"cat {directory}/trace"), re.M):
        counts[name] = counts.get(name, 0) + 1
    return counts


def counts(machine, directory, *names, prefix=None):
    """Counts the calls of these functions in a trace, which must hold no others, or only those with the prefix. The machine
    counts, because its console needs seconds for the lines of 100,000 calls."""
    expected = [f": {prefix}"] if prefix else [f": {name} <-" for name in names]
    others = "".join(f" | grep -v '{text}'" for text in expected)
    assert machine.run(f"grep ' <-' {directory}/trace{others} | head -n 5").output == ""
    return [int(machine.run(f"grep -c ': {name} <-' {directory}/trace").output) for name in names]


def test_an_instance_has_the_files_of_the_top_level_but_those_about_the_whole(tracing):
    tracing.check("mkdir instances/a")
    top, own = set(tracing.check("ls").split()), set(tracing.check("ls instances/a").split())
    assert TOP_ONLY <= top and own <= top and not own & TOP_ONLY
    assert {"trace", "trace_pipe", "set_ftrace_filter", "set_ftrace_pid", "options", "events", "per_cpu"} <= own
    missing = set(tracing.check("ls options").split()) - set(tracing.check("ls instances/a/options").split())
    assert {"trace_printk", "printk-msg-only", "record-cmd"} <= missing
    assert tracing.check("ls instances/a/per_cpu") == tracing.check("ls per_cpu")
    assert tracing.check("cat instances/a/current_tracer") == "nop\n"


def test_two_instances_and_the_top_level_each_get_exactly_their_own(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}; mkdir instances/a; mkdir instances/b")
    machine.check("echo 'vfs_read vfs_write' > set_ftrace_filter")
    machine.check("echo 'vfs_write vfs_open' > instances/a/set_ftrace_filter")
    machine.check("echo 'pipe_*' > instances/b/set_ftrace_filter")
    for directory in (".", "instances/a", "instances/b"):
        machine.check(f"echo 8192 > {directory}/buffer_size_kb; echo 0 > {directory}/tracing_on; "
                      f"echo function > {directory}/current_tracer")
    # tracing_on is 0 in all of them until all tracers are set, so that none has more calls than another.
    machine.check("echo 1 > instances/b/tracing_on; echo 1 > tracing_on; echo 1 > instances/a/tracing_on; "
                  "hackbench -g 1 -l 5; "
                  "echo 0 > instances/a/tracing_on; echo 0 > tracing_on; echo 0 > instances/b/tracing_on")
    read, write = counts(machine, ".", "vfs_read", "vfs_write")
    a_write, _ = counts(machine, "instances/a", "vfs_write", "vfs_open")
    b_write, b_read = counts(machine, "instances/b", "pipe_write_iter", "pipe_read_iter", prefix="pipe_")
    # 20 senders send 5 messages to each of 20 receivers. Each message is a write and a read of a pipe.
    messages = 20 * 20 * 5
    assert read and b_write >= messages <= b_read
    assert write >= a_write >= messages
    assert write - a_write <= 4, "they differ by the echo between the two switches"
    machine.check("rmdir instances/a; rmdir instances/b")
    assert set(machine.check("cat set_ftrace_filter").split()) == {"vfs_read", "vfs_write"}
    machine.check("echo nop > current_tracer")
    assert machine.check("cat enabled_functions") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")


def test_options_of_one_leave_the_others_alone(tracing):
    tracing.check("mkdir instances/a; mkdir instances/b")
    before = tracing.check("cat trace_options"), tracing.check("cat instances/b/trace_options")
    tracing.check("echo 1 > instances/a/options/func_stack_trace; echo 0 > instances/a/options/print-parent")
    tracing.check("echo tty_read > instances/a/set_ftrace_filter; echo function > instances/a/current_tracer")
    assert (tracing.check("cat trace_options"), tracing.check("cat instances/b/trace_options")) == before
    assert tracing.check("cat options/func_stack_trace") == "0\n"
    tracing.check("echo tty_read > set_ftrace_filter; echo function > current_tracer")
    assert "<stack trace>" in tracing.check("cat instances/a/trace")
    assert "<-" not in tracing.check("cat instances/a/trace")
    assert "<stack trace>" not in tracing.check("cat trace") and "tty_read <-" in tracing.check("cat trace")


def test_what_only_the_top_level_can_do_is_refused_in_an_instance(tracing):
    tracing.check("mkdir instances/a")
    assert tracing.run("echo norecord-cmd > instances/a/trace_options").output == "sh: write error: Invalid argument\n"
    for tracer in tracing.check("cat instances/a/available_tracers").split():
        tracing.check(f"echo {tracer} > instances/a/current_tracer")
    assert tracing.run("echo no_tracer > instances/a/current_tracer").output == "sh: write error: Invalid argument\n"


def test_sizes_clocks_and_markers_are_its_own(tracing):
    tracing.check("mkdir instances/a; echo 64 > instances/a/buffer_size_kb; echo counter > instances/a/trace_clock")
    assert tracing.check("cat instances/a/buffer_size_kb") == "64\n"
    assert "[local]" in tracing.check("cat trace_clock") and "[counter]" in tracing.check("cat instances/a/trace_clock")
    tracing.check("echo mine > instances/a/trace_marker; echo yours > trace_marker")
    assert "tracing_mark_write: mine" in tracing.check("cat instances/a/trace")
    assert "mine" not in tracing.check("cat trace") and "yours" not in tracing.check("cat instances/a/trace")


def test_pids_of_one_leave_the_others_alone(tracing):
    tracing.check("mkdir instances/a; echo vfs_write > instances/a/set_ftrace_filter; echo vfs_write > set_ftrace_filter")
    tracing.check("echo 1 > instances/a/set_ftrace_pid")
    tracing.check("echo function > instances/a/current_tracer; echo function > current_tracer")
    tracing.check("echo something")
    assert functions(tracing)["vfs_write"] > 0
    assert functions(tracing, "instances/a") == {}
    assert tracing.check("cat set_ftrace_pid") == "no pid\n" and tracing.check("cat instances/a/set_ftrace_pid") == "1\n"
    tracing.check("echo $$ > instances/a/set_ftrace_pid; echo something")
    assert functions(tracing, "instances/a")["vfs_write"] > 0


def test_following_children_is_not_inherited_and_ends_with_the_instance(tracing):
    tracing.check("echo 1 > options/function-fork; mkdir instances/a; echo 0 > options/function-fork")
    assert tracing.check("cat instances/a/options/function-fork") == "0\n"
    tracing.check("echo 1 > instances/a/options/function-fork; echo $$ > instances/a/set_ftrace_pid")
    tracing.check("echo vfs_write > instances/a/set_ftrace_filter; echo function > instances/a/current_tracer")
    tracing.check("echo x > instances/a/trace; cat /proc/uptime > /dev/null")
    assert functions(tracing, "instances/a")["vfs_write"] > 0
    tracing.check("rmdir instances/a; mkdir instances/a; cat /proc/uptime > /dev/null")
    assert tracing.check("cat instances/a/set_ftrace_pid instances/a/options/function-fork") == "no pid\n0\n"


def test_an_instance_with_an_open_file_cannot_be_removed(tracing):
    tracing.check("mkdir instances/a; exec 3< instances/a/trace_pipe")
    result = tracing.run("rmdir instances/a")
    assert result.output == "rmdir: 'instances/a': Device or resource busy\n" and result.status == 1
    assert tracing.check("cat instances/a/tracing_on") == "1\n"
    tracing.check("exec 3<&-; rmdir instances/a")
    assert tracing.check("ls instances") == ""


@pytest.mark.parametrize("command,message", [
    ("mkdir instances/a", "mkdir: can't create directory 'instances/a': File exists"),
    ("mkdir instances/a/b", "mkdir: can't create directory 'instances/a/b': Operation not permitted"),
    ("rmdir instances/none", "rmdir: 'instances/none': No such file or directory"),
    ("rmdir instances/a/options", "rmdir: 'instances/a/options': Operation not permitted"),
])
def test_what_cannot_be_made_or_removed_is_refused(tracing, command, message):
    tracing.check("mkdir instances/a")
    result = tracing.run(command)
    assert result.output == message + "\n" and result.status == 1


@pytest.mark.soak
def test_thirty_instances_come_and_go_while_they_trace_and_leave_nothing_behind(boot):
    machine = boot(cpus=4)
    machine.check(f"cd {TRACING}")
    script = "; ".join(
        f"mkdir instances/{n}; echo '*{n % 10}*' > instances/{n}/set_ftrace_notrace; echo function > instances/{n}/current_tracer"
        for n in range(3))
    remove = "; ".join(f"rmdir instances/{n}" for n in range(3))

    def some_rounds(count):
        for _ in range(count):
            machine.send("hackbench -g 1 -l 20 &\n")
            machine.wait_prompt()
            machine.command_output(script)
            machine.command_output(remove)
            machine.check("wait")

    some_rounds(2)
    before = resources(machine)
    some_rounds(10)
    assert machine.check("ls instances") == ""
    assert machine.check("cat enabled_functions") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
    resources_return_to(machine, before)


def test_an_instance_made_while_there_are_dynamic_events_lives_until_its_end(boot):
    """The files of these events belong to the instance. It did not count them, and was freed too early."""
    machine = boot(cpus=2)
    machine.check("cd /sys/kernel/tracing; echo 'early u64 x' >> synthetic_events")
    for remove in "rmdir instances/a; echo '!early' >> synthetic_events", "echo '!late' >> synthetic_events; rmdir instances/a":
        machine.check("mkdir instances/a; echo 'late u64 x' >> synthetic_events; echo 1 > instances/a/events/synthetic/late/enable")
        machine.check("echo 0 > instances/a/events/synthetic/late/enable")
        machine.check(remove)
        machine.run("echo '!late' >> synthetic_events; echo 'early u64 x' >> synthetic_events")
    assert "WARNING" not in machine.text


def test_a_directory_of_a_removed_instance_is_harmless(tracing):
    for line in ("mkdir instances/a", "cd instances/a", "rmdir ../a", "cat trace", "mkdir x",
                 f"cd {TRACING}", "mkdir instances/a", "cat instances/a/tracing_on"):
        tracing.check(f"echo '{line}' >> /tmp/removed")
    assert tracing.run("sh /tmp/removed").lines == [
        "cat: can't open 'trace': No such file or directory",
        "mkdir: can't create directory 'x': No such file or directory", "1"]
