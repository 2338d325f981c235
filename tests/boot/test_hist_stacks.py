"""Stacks in histograms: as variables, as parameters of synthetic events, as keys (Linux 6.3 and later have them)."""
import re

import pytest

from nop5 import SLEEP

TRACING = "/sys/kernel/tracing"
SWITCH = "events/sched/sched_switch/trigger"
SAVE = "hist:keys=next_pid:st=common_stacktrace if next_comm == \"sleep\""
TRACE = "hist:keys=prev_pid:s2=$st:onmatch(sched.sched_switch).trace(ran,prev_pid,$s2)"
FRAME = re.compile(r"^(?:=> | {9})(\w+)\+0x[0-9a-f]+/0x[0-9a-f]+$", re.M)


@pytest.fixture
def tracing(boot):
    machine = boot(cpus=2)
    machine.check(f"cd {TRACING}; echo 'ran pid_t pid; unsigned long[] stack' >> synthetic_events")
    return machine


def test_a_stack_goes_through_two_variables_into_an_event_and_a_key(tracing):
    older = SAVE.replace("common_stacktrace", "stacktrace")
    tracing.check(f"echo '{older}' >> {SWITCH}; echo '{TRACE}' >> {SWITCH}")
    listed = tracing.check(f"cat {SWITCH}")
    assert ":st=common_stacktrace:sort" in listed and ":s2=$st:sort" in listed and listed.count(" [active]") == 2
    tracing.check("echo 'hist:keys=stack.stacktrace' >> events/synthetic/ran/trigger; "
                  "echo 1 > events/synthetic/ran/enable")
    tracing.check(f"{SLEEP}; {SLEEP}")
    # Without the trigger there are no more events, and then the trace and the histogram have the same ones.
    tracing.check(f"echo '!{TRACE}' >> {SWITCH}; echo 0 > events/synthetic/ran/enable")
    stacks = [FRAME.findall(text) for text in re.split(r"ran: pid=\d+ stack=STACK:\n", tracing.check("cat trace"))[1:]]
    assert stacks and all(stack[0] == "__schedule" for stack in stacks)
    text = tracing.check("cat events/synthetic/ran/hist")
    assert "hist:keys=stack.stacktrace:vals=hitcount" in text
    found = {tuple(FRAME.findall(key.replace("{ stack.stacktrace", ""))): int(hits)
             for key, hits in re.findall(r"^(\{ stack\.stacktrace {9}\w[^}]*)\} hitcount: +(\d+)$", text, re.M)}
    assert found == {tuple(stack): stacks.count(stack) for stack in stacks}


def test_the_stack_of_a_parameter_is_that_of_the_event(tracing):
    tracing.check("echo 'hist:keys=next_pid:x=next_prio:onchange($x).ran(next_pid,common_stacktrace) if next_comm==\"sleep\"' "
                  f"> {SWITCH}; echo 1 > events/synthetic/ran/enable; {SLEEP}; echo 0 > events/synthetic/ran/enable")
    stacks = [FRAME.findall(text) for text in re.split(r"ran: pid=\d+ stack=STACK:\n", tracing.check("cat trace"))[1:]]
    assert stacks and all(len(stack) > 1 and "hist" not in " ".join(stack) for stack in stacks)


def test_save_prints_a_stack(tracing):
    tracing.check(f"echo 'hist:keys=next_comm:x=next_prio:onmax($x).save(common_stacktrace,next_pid)' > {SWITCH}; sleep 0.01")
    text = tracing.check("cat events/sched/sched_switch/hist")
    assert re.search(r"^\tmax: +\d+  common_stacktrace:\n( {9}\w+\+0x\w+/0x\w+\n)+  next_pid: +\d+$", text, re.M)


@pytest.mark.parametrize("command, error", [
    ("hist:keys=prev_pid.stacktrace", "Invalid field modifier"),
    ("hist:keys=prev_comm.stacktrace", "Invalid field modifier"),
    ("hist:keys=prev_pid:x=common_stacktrace+1", "String type can not be an operand in expression"),
    ("hist:keys=prev_pid:vals=common_stacktrace", "Invalid field modifier"),
    ("hist:keys=prev_pid:x=common_stacktrace.hex", "Couldn't find field"),
    ("hist:keys=prev_pid:x=prev_pid:onmax($x).ran(prev_pid,next_pid)", "Param type doesn't match synthetic event field type"),
    ("hist:keys=prev_pid:x=prev_pid:onmax($x).ran(common_stacktrace,common_stacktrace)",
     "Param type doesn't match synthetic event field type"),
])
def test_a_stack_in_a_wrong_place_is_refused(nop5, command, error):
    nop5.check(f"cd {TRACING}; echo 'ran pid_t pid; unsigned long[] stack' > synthetic_events; echo > error_log")
    assert "Invalid argument" in nop5.run(f"echo '{command}' > {SWITCH}").output
    assert error in nop5.check("cat error_log")
    assert "hist:" not in nop5.check(f"cat {SWITCH}")
    nop5.check("echo '!ran' >> synthetic_events; echo > error_log; cd /")


def test_the_modifier_syscall_names_calls_of_nop5_and_of_linux(tracing):
    """-1 and 9999 have no name; nop5 has sys_write (1) and no sys_futex (202)."""
    tracing.check("echo 'call s64 id' >> synthetic_events; echo 'hist:keys=id.syscall' > events/synthetic/call/trigger")
    for number in (1, 202, 9999, -1):
        tracing.check(f"echo 'id={number}' > events/synthetic/call/inject")
    lines = re.findall(r"^\{ id: (\w+) +\[ *(\d+)\] \}", tracing.check("cat events/synthetic/call/hist"), re.M)
    assert sorted(lines) == [("sys_futex", "202"), ("sys_write", "1"), ("unknown_syscall", "18446744073709551615"),
                             ("unknown_syscall", "9999")]
