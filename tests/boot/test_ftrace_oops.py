"""A callback that faults: the report names the callback, ftrace shuts down, and no more than necessary ends.

/sys/kernel/debug/ftrace_fault gives functions a callback that reads from address 0.
"""
import re

import pytest

from conftest import each_once
from nop5 import EXIT_PANIC, count_tasks, eventually, finish, gdb, gdb_port

TRACING = "/sys/kernel/tracing"
FAULT = "/sys/kernel/debug/ftrace_fault"
OTHERS = {  # tracers of the same function: none (the callback has its own trampoline), or one (the list calls both)
    "alone": "echo nop > current_tracer",
    "function": "echo function > current_tracer",
    "function_graph": "echo function_graph > current_tracer",
}


def report_of(machine):
    return machine.text[machine.text.index("BUG: kernel NULL pointer dereference"):]


def ftrace_is_shut_down(machine):
    """Check that no site calls a callback, that no tracer can start, and that a running tracer can be stopped."""
    eventually(lambda: machine.check(f"cat {TRACING}/enabled_functions") == "")
    assert "0 mismatches" in machine.check("cat /sys/kernel/debug/ftrace_verify")
    machine.check(f"echo nop > {TRACING}/current_tracer")
    for tracer in ("function", "function_graph"):
        assert "No such device" in machine.run(f"echo {tracer} > {TRACING}/current_tracer").output
    assert "No such device" in machine.run(f"echo vfs_read > {TRACING}/set_ftrace_filter").output


@pytest.mark.parametrize("how, callback, others", each_once([
    ("plain", "ftrace_faulty_callback"),
    ("regs", "ftrace_faulty_callback"),
    ("guarded", "ftrace_faulty_callback"),  # preemption is disabled, but only by ftrace
    ("entry", "ftrace_faulty_entry"),
    ("return", "ftrace_faulty_return"),
    # The callback is inlined into its stub. With a second user of the same call, fgraph calls the callback itself.
    ("inline-entry", "ftrace_faulty_entry(?:_stub)?"),
    ("inline-return", "ftrace_faulty_return(?:_stub)?"),
], OTHERS))
def test_a_callback_that_faults_is_named_and_ends_its_task_and_ftrace_but_not_the_machine(boot, how, callback, others):
    machine = boot(kernel="nop5-test", cpus=4, append="panic=0")
    machine.check(f"cd {TRACING}; echo __x64_sys_mkdir vfs_write > set_ftrace_filter; {OTHERS[others]}")
    tasks = count_tasks(machine)
    machine.check(f"echo __x64_sys_mkdir {how} > {FAULT}")
    assert machine.run("mkdir /tmp/x").status != 0
    ftrace_is_shut_down(machine)
    report = report_of(machine)
    if how.startswith("inline") and others != "function_graph":
        callback = callback.replace("(?:_stub)?", "_stub")
    assert re.search(rf"RIP: 0010:{callback}\+", report)
    assert re.search(rf"ftrace: the callback {callback}\+0x0/0x\w+ has faulted, shutting down", report)
    trace = report[report.index("Call Trace:"):]
    if others == "alone" and how in ("plain", "regs"):
        assert re.search(rf"{callback}\+.*\n.*ftrace_trampoline\+.* \[__builtin__ftrace\]\n.*__x64_sys_mkdir\+", trace)
    else:
        caller = "entry_SYSCALL_64_after_hwframe" if "return" in how else "__x64_sys_mkdir"  # __x64_sys_mkdir() has returned
        assert re.search(rf"{callback}\+.*\n(.*\n)*?.* {caller}\+", trace)
    # The rest of the machine works.
    machine.check("mkdir /tmp/y; hackbench -g 1 -l 10")
    assert count_tasks(machine) == tasks
    machine.poweroff()


@pytest.mark.parametrize("how, callback", [
    ("kprobe", "ftrace_faulty_pre_handler"),
    ("kprobe-jump", "ftrace_faulty_pre_handler"),
    ("kretprobe-entry", "ftrace_faulty_handler"),
    ("kretprobe", "ftrace_faulty_handler"),
])
def test_a_handler_of_a_probe_that_faults_is_named_and_ends_its_task(boot, how, callback):
    machine = boot(kernel="nop5-test", cpus=2, append="panic=0")
    machine.check(f"echo __x64_sys_mkdir {how} > {FAULT}")
    assert machine.run("mkdir /tmp/x").status != 0
    ftrace_is_shut_down(machine)
    assert re.search(rf"ftrace: the callback {callback}\+0x0/0x\w+ has faulted, shutting down", report_of(machine))
    machine.check("mkdir /tmp/y; mkdir /tmp/z")
    machine.poweroff()


def test_a_handler_in_a_breakpoint_that_faults_is_named_and_ends_the_machine(boot):
    """Interrupts are off there."""
    machine = boot(kernel="nop5-test", cpus=2)
    machine.check(f"echo __x64_sys_mkdir kprobe-inside > {FAULT}")
    machine.send("mkdir /tmp/x\n")
    machine.wait_exit(EXIT_PANIC)
    assert re.search(r"ftrace: the callback ftrace_faulty_pre_handler\+0x0/0x\w+ has faulted, shutting down", machine.text)
    assert "Kernel panic - not syncing: Fatal exception" in machine.text


def test_a_callback_that_holds_a_lock_of_its_own_ends_the_machine(boot):
    machine = boot(kernel="nop5-test", cpus=2)
    machine.check("echo 0 > /proc/sys/kernel/panic_on_oops")
    machine.send(f"echo __x64_sys_mkdir locked > {FAULT}; mkdir /tmp/x\n")
    machine.wait_exit(EXIT_PANIC)
    assert "the callback ftrace_faulty_locked+0x0/" in machine.text
    assert "Kernel panic - not syncing: Fatal exception with a lock held" in machine.text


def test_many_tasks_fault_in_the_same_callback_on_all_cpus(boot):
    machine = boot(kernel="nop5-test", cpus=8, append="panic=0")
    tasks = count_tasks(machine)
    machine.check("echo > /tmp/script")
    for i in range(30):
        machine.check(f"echo 'mkdir /tmp/d{i} &' >> /tmp/script")
    machine.check(f"echo wait >> /tmp/script; echo __x64_sys_mkdir guarded > {FAULT}")
    machine.run("sh /tmp/script")
    ftrace_is_shut_down(machine)
    died = len(re.findall(r"Oops: 0000 \[#\d+\]", machine.text))
    made = sum(machine.run(f"rmdir /tmp/d{i}").status == 0 for i in range(30))
    assert died > 0 and died + made == 30
    assert machine.text.count("the callback ftrace_faulty_callback+0x0/") == died
    assert count_tasks(machine) == tasks


@pytest.mark.parametrize("how, tracer", each_once(
    ["plain", "regs", "guarded", "entry", "return", "inline-entry", "inline-return"], ["nop", "function", "function_graph"]))
def test_a_callback_of_all_functions_that_faults_is_reported_and_ends_the_machine(boot, how, tracer):
    """The callback is called with locks held, in interrupts, in the report of its own fault, and on all CPUs at once."""
    machine = boot(kernel="nop5-test", cpus=8)
    machine.check(f"echo {tracer} > {TRACING}/current_tracer; hackbench -g 1 -l 1000000 &")
    machine.send(f"echo '* {how}' > {FAULT}\n")
    machine.wait_exit(EXIT_PANIC)
    assert re.search(r"ftrace: the callback ftrace_faulty_\w+\+0x0/0x\w+ has faulted, shutting down", machine.text)
    assert re.search(r"^\[.*?\] ---\[ end Kernel panic - not syncing: Fatal exception", machine.text, re.M)
    assert re.search(r"RIP: 0010:ftrace_faulty_\w+\+", report_of(machine))
    stopped = {int(cpu) for cpu in re.findall(r"(?:CPU: |cpu )(\d+)", report_of(machine))}
    assert stopped == set(range(8))


@pytest.mark.parametrize("cpus, tracer", each_once([1, 4], ["nop", "function_graph"]))
def test_a_callback_that_faults_in_an_interrupt_ends_the_machine(boot, cpus, tracer):
    machine = boot(kernel="nop5-test", cpus=cpus)
    machine.check(f"echo {tracer} > {TRACING}/current_tracer; echo 0 > /proc/sys/kernel/panic_on_oops")
    machine.send(f"echo serial8250_interrupt > {FAULT}\n")
    machine.wait_exit(EXIT_PANIC)
    assert "the callback ftrace_faulty_callback+0x0/" in machine.text
    assert "Kernel panic - not syncing: Fatal exception in interrupt" in machine.text


def test_a_stack_with_frames_in_a_circle_is_not_searched_for_ever(boot, tmp_path):
    """Before the report, the kernel searches the stack for a callback."""
    machine = boot(kernel="nop5-test", cpus=2, append="panic=0", extra=gdb_port(tmp_path))
    frame = "*(struct pt_regs *)((unsigned long)$rdi + 512)"  # above the argument of do_exception() in the stack
    its_fault = "((struct pt_regs *)$rdi)->ip - (unsigned long)provoke_exception < 64"  # the shell has page faults, too
    debugger = gdb(tmp_path, f"hbreak *do_exception if {its_fault}", "continue", f"set ({frame}).bp = (unsigned long)&({frame}) | 1",
                   f"set ((struct pt_regs *)$rdi)->bp = (unsigned long)&({frame}) | 1", kernel="nop5-test")
    machine.run("echo EXCEPTION > /sys/kernel/debug/provoke-crash/DIRECT")
    assert "hit " in finish(debugger)[0]
    assert "RIP: 0010:provoke_exception+" in report_of(machine)
    machine.check("echo alive")


def test_a_trampoline_that_is_silenced_while_it_is_patched_stays_silent(boot, tmp_path):
    """set_ftrace_pid changes its callback. gdb does the same as a fault on another CPU at that moment."""
    machine = boot(kernel="nop5-test", cpus=2, extra=gdb_port(tmp_path))
    machine.check(f"cd {TRACING}; echo __x64_sys_mkdir > set_ftrace_filter; echo function > current_tracer")
    # Temporary ones: gdb would step the CPU past a breakpoint where it stands, and QEMU may stop there once more.
    debugger = gdb(tmp_path, "thbreak *text_patch_apply", "continue", "set $site = *(unsigned char **)$rdi", "thbreak *text_sync_all",
                   "continue", r'printf "it was %x\n", *$site', "set var ftrace_disabled = 1", "set *$site = 0xa9",
                   "delete", "hbreak *mutex_unlock if $rdi == (unsigned long)&ftrace_lock", "continue",
                   r'printf "it is %x\n", *$site', kernel="nop5-test")
    machine.check("echo 1 > set_ftrace_pid")
    said, _ = finish(debugger)
    assert "it was cc\n" in said and "it is a9\n" in said, said


def test_an_ordinary_oops_leaves_ftrace_alone(boot):
    machine = boot(kernel="nop5-test", cpus=2, append="panic=0")
    machine.check(f"cd {TRACING}; echo vfs_write > set_ftrace_filter; echo function > current_tracer")
    machine.run("sh -c 'echo EXCEPTION > /sys/kernel/debug/provoke-crash/DIRECT'")  # ends that shell
    assert "Oops: " in machine.text and "ftrace: " not in report_of(machine)
    machine.check("echo > trace; echo x > /tmp/x")
    assert "vfs_write <-ksys_write" in machine.check("cat trace")
    machine.check("echo nop > current_tracer; echo function_graph > current_tracer; echo nop > current_tracer")
    assert "0 mismatches" in machine.check("cat /sys/kernel/debug/ftrace_verify")


@pytest.mark.parametrize("what", ["", "no_such_function", "__x64_sys_mkdir nonsense", "__x64_sys_mkdir plain x", " "])
def test_a_request_that_is_not_a_function_and_a_kind_is_refused(nop5_test, what):
    result = nop5_test.run(f"echo '{what}' > {FAULT}")
    assert result.status == 1 and "sh: write error: Invalid argument" in result.lines
    assert nop5_test.check(f"cat {FAULT}").split() == ["plain", "regs", "guarded", "locked", "entry", "return",
                                                             "inline-entry", "inline-return", "kprobe", "kprobe-inside", "kprobe-jump",
                                                             "kretprobe-entry", "kretprobe"]


@pytest.mark.variant
@pytest.mark.parametrize("how", ["plain", "guarded", "entry", "return", "inline-entry", "inline-return"])
def test_locks_and_shadow_stacks_are_sound_after_a_callback_has_faulted(boot, variant, how):
    """A DEBUG build checks the dead task's preempt count, and the shadow stacks at each switch."""
    machine = boot(kernel="nop5-test", cpus=4, append="panic=0", build=variant("DEBUG=1", kernel="nop5-test"))
    machine.check(f"cd {TRACING}; echo __x64_sys_mkdir > set_ftrace_filter; echo function_graph > current_tracer")
    machine.check(f"echo __x64_sys_mkdir {how} > {FAULT}")
    assert machine.run("mkdir /tmp/x").status != 0
    ftrace_is_shut_down(machine)
    machine.check("hackbench -g 1 -l 10")
    assert machine.text.count("BUG: ") == 1 and "WARNING" not in machine.text
    machine.poweroff()
