"""The file inject of an event writes a record with the values that the user gives."""
import re

import pytest

TRACING = "/sys/kernel/tracing"
INVALID, MISSING = "Invalid argument", "No such file or directory"


@pytest.fixture
def machine(nop5):
    """The shared machine in tracefs, without dynamic events, before and after."""
    def clean():
        nop5.check(f"cd {TRACING}; echo 0 > events/enable; echo > dynamic_events; echo > trace")

    clean()
    nop5.check("echo 'foo u64 a; s8 b; char c[8]; char d[]; unsigned long s[]; char e[]' > synthetic_events")
    yield nop5
    clean()


def lines(machine):
    return re.findall(r"\d+\.\d+: (.*)", machine.check("cat trace"))


def inject(machine, text, event="synthetic/foo"):
    if len(text) > 1000:  # the shell's own lines are shorter
        machine.start("cat > /tmp/line")
        machine.send(f"echo {text} > events/{event}/inject\n\x04")
        machine.wait_prompt()
        return machine.run(". /tmp/line").output
    return machine.run(f"echo {text} > events/{event}/inject").output


def test_values_reach_the_record(machine):
    assert inject(machine, "'a=0x10 b=-3 c=\"a longer text\" d=\"dyn \\\" \\\\x\" e = \\'single\\''".replace("\\'", "'\\''")) == ""
    assert inject(machine, "' '") == ""
    assert inject(machine, "'d=\"\" e=\"x\" e=\"y\"'") == ""
    assert lines(machine) == [
        'foo: a=16 b=-3 c=a longe d=dyn " \\x s=STACK:', "foo: a=0 b=0 c= d= s=STACK:", "foo: a=0 b=0 c= d= s=STACK:"]
    assert re.findall(r"^ e=(.*)", machine.check("cat trace"), re.M) == ["single", "", "y"]


def test_events_of_the_kernel_are_injected_even_if_they_are_off(machine):
    assert inject(machine, "'prev_comm=\"one\" next_pid=77 next_prio=-3 prev_state=2'", "sched/sched_switch") == ""
    assert lines(machine) == ["sched_switch: prev_comm=one prev_pid=0 prev_prio=0 prev_state=D ==> next_comm= next_pid=77 next_prio=-3"]


@pytest.mark.parametrize("text, error", [
    ("a", INVALID), ("a=", INVALID), ("=5", INVALID), ("5=a", INVALID), ("a=x", INVALID), ("a=5x", INVALID), ("a=0x", INVALID),
    ("'a=\"text\"'", INVALID), ("c=5", INVALID), ("'c=\"open'", INVALID), ("'c=\"open\\\"'", INVALID), ("nosuch=5", MISSING),
    ("s=5", INVALID), ("a=99999999999999999999", INVALID), ("a=5,b=6", INVALID), ("cpu=1", INVALID), ("'comm=\"x\"'", INVALID),
    ("a=" + "1" * 200, INVALID), ("x" * 200 + "=1", INVALID), ("'d=\"" + "y" * 3900 + "\" a=\"'", INVALID),
])
def test_malformed_values_are_refused_and_record_nothing(machine, text, error):
    assert inject(machine, text) == f"sh: write error: {error}\n"
    assert lines(machine) == []


def test_triggers_and_filters_see_an_injected_record(machine):
    machine.check("echo 'a > 5' > events/synthetic/foo/filter; echo a=5 > events/synthetic/foo/inject; "
                  "echo a=6 > events/synthetic/foo/inject; echo 0 > events/synthetic/foo/filter")
    machine.check("echo 'traceoff if a == 9' > events/synthetic/foo/trigger; echo 1 > events/synthetic/foo/enable")
    for value in (8, 9, 10):
        assert inject(machine, f"a={value}") == ""
    assert machine.check("cat tracing_on") == "0\n"
    machine.check("echo 1 > tracing_on; echo '!traceoff' > events/synthetic/foo/trigger")
    assert [line.split()[1] for line in lines(machine)] == ["a=6", "a=8", "a=9"]


def test_a_record_that_is_too_long_is_refused(boot):
    """The fields of this event take 16 KB; no record of it fits anywhere. Its last field was once written into other memory."""
    machine = boot(cpus=1)
    fields = [f"char a{i}[255];" for i in range(64)]
    machine.check("cd /sys/kernel/tracing")
    for number in range(0, 64, 16):  # a line of the shell has less than 1024 bytes
        machine.check(f"echo -n '{' '.join(fields[number:number + 16])} ' >> /tmp/fields")
    machine.check('echo "big $(cat /tmp/fields)" >> synthetic_events')
    assert machine.run("echo 'a63=\"text\"' > events/synthetic/big/inject").output == "sh: write error: Argument list too long\n"


def test_a_wrong_number_of_a_system_call_prints_no_arguments(boot):
    """The arguments that another call has are not in the record."""
    machine = boot(cpus=1)
    machine.check("cd /sys/kernel/tracing; echo 1 > events/syscalls/sys_enter_close/enable")
    machine.check("echo '__syscall_nr=0 fd=7' > events/syscalls/sys_enter_close/inject")
    machine.check("echo '__syscall_nr=3 fd=77' > events/syscalls/sys_enter_close/inject; echo 0 > events/syscalls/sys_enter_close/enable")
    trace = machine.check("cat trace")
    assert "sys_close(fd: 0x4d)" in trace and "sys_read" not in trace
