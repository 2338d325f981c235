"""Faults: the report, the end of the task or of the machine, and QEMU's exit status.

The tests cause faults through /sys/kernel/debug/provoke-crash/DIRECT, as with Linux's LKDTM. An oops ends QEMU
like a panic. With panic=0 on the command line, or 0 in panic_on_oops, it ends only the task.
"""
import re

import pytest

from nop5 import EXIT_PANIC, eventually, gdb, gdb_port

PROVOKE = "/sys/kernel/debug/provoke-crash/DIRECT"


def report_is_complete(text, symbol=None):
    """Check that the report has symbol and offset, task, CPU, registers, code bytes and backtrace."""
    assert re.search(r"CPU: \d+ PID: \d+ Comm: \S+", text), text
    assert re.search(r"RIP: 0010:\S+\+0x[0-9a-f]+/0x[0-9a-f]+", text), text
    for register in ("RAX", "RSP", "CR2", "R15"):
        assert re.search(rf"\b{register}: (0018:)?[0-9a-f]{{16}}", text), register
    assert re.search(r"Code: (<?[0-9a-f]{2}>? ?){8}", text), text
    assert "Call Trace:" in text
    assert re.search(r"^(?:\[.*?\])? *\S+\+0x[0-9a-f]+/0x[0-9a-f]+", text, re.M), text
    if symbol:
        assert symbol in text


def output_of(nop5, command):
    start = len(nop5.text)
    nop5.run(command)
    return nop5.text[start:]


def names_of_tasks(nop5):
    """Of all tasks but the workers, of which the kernel makes more when it needs them."""
    return [name for name in nop5.check("ps -o comm").splitlines() if not name.startswith("kworker/")]


def test_a_null_dereference_kills_the_task_and_the_shell_goes_on(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="panic=0")
    tasks = names_of_tasks(nop5)
    text = output_of(nop5, f"echo EXCEPTION > {PROVOKE}")
    assert "BUG: kernel NULL pointer dereference, address: 0000000000000000" in text
    assert "Oops" in text
    report_is_complete(text)
    assert re.search(r"backtrace|NMI backtrace|CPU: \d+", text)
    assert nop5.check("echo still here") == "still here\n"
    assert names_of_tasks(nop5) == tasks
    nop5.poweroff()


def test_a_task_blocked_on_a_mutex_whose_owner_an_oops_has_ended_is_reported(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="panic=0")
    nop5.check("cd /sys/kernel/tracing; echo tracefs_create_dir > /sys/kernel/debug/ftrace_fault")
    assert nop5.run("mkdir instances/a").status != 0
    owner = re.search(r"PID: (\d+) Comm: mkdir", nop5.text).group(1)
    nop5.check("hackbench -g 1 -l 10")  # the report must not name one of these tasks as the owner
    assert "INFO: task" not in nop5.check("dmesg")
    nop5.run("cat current_tracer &")
    eventually(lambda: re.search(rf"INFO: task cat:\d+ is blocked on a mutex owned by task mkdir:{owner}, "
                                 "which an oops has ended: trace_types_lock$", nop5.check("dmesg"), re.M))
    assert re.search(r"^D +cat$", nop5.check("ps -o stat,comm"), re.M)
    nop5.poweroff()


def test_an_oops_shows_what_the_other_cpus_do(boot):
    nop5 = boot(kernel="nop5-test", cpus=4, append="panic=0")
    text = output_of(nop5, f"echo EXCEPTION > {PROVOKE}")
    assert {int(c) for c in re.findall(r"(?:CPU: |cpu |CPU )(\d+)", text)} == {0, 1, 2, 3}


def test_an_oops_ends_qemu_with_33_unless_told_otherwise(boot):
    nop5 = boot(kernel="nop5-test", cpus=4)
    assert nop5.check("cat /proc/sys/kernel/panic_on_oops") == "1\n"
    nop5.send(f"echo EXCEPTION > {PROVOKE}\n")
    nop5.wait_exit(EXIT_PANIC)
    assert "Kernel panic - not syncing: " in nop5.text
    assert {int(c) for c in re.findall(r"(?:CPU: |cpu )(\d+)", nop5.text)} == {0, 1, 2, 3}


def test_panic_on_oops_can_be_switched_off_at_run_time(boot):
    nop5 = boot(kernel="nop5-test", cpus=1)
    nop5.check("echo 0 > /proc/sys/kernel/panic_on_oops")
    assert "Oops" in output_of(nop5, f"echo EXCEPTION > {PROVOKE}")
    assert nop5.check("echo on") == "on\n"


@pytest.mark.parametrize("how, last", [("PANIC_IN_LINE", "---[ end Kernel panic - not syncing: dumptest ]---"),
                                       ("PANIC_IN_PANIC", "Oops: 0002 [#1] PREEMPT SMP"),
                                       ("PANIC_BESIDE_SENDER", "Oops: 0002 [#1] PREEMPT SMP")])
def test_a_report_is_whole_although_the_cpu_that_sends_it_is_stopped_in_a_line(boot, how, last):
    """That CPU holds the console, and has taken bytes that it does not send any more. The panic runs on it, or on another one."""
    nop5 = boot(kernel="nop5-test", cpus=2)
    nop5.send(f"echo {how} > {PROVOKE}\n")
    nop5.wait_exit(EXIT_PANIC)
    for line in (f"lkdtm: Performing direct entry {how}", "the line that is being sent", "Kernel panic - not syncing: dumptest", last):
        assert re.search(rf"^\[ *\d+\.\d{{6}}\] {re.escape(line)}$", nop5.text, re.M), nop5.says


@pytest.mark.parametrize("how", [f"echo PANIC > {PROVOKE}", "echo c > /proc/sysrq-trigger"])
def test_a_panic_ends_qemu_with_33(boot, how):
    nop5 = boot(kernel="nop5-test", cpus=2)
    nop5.send(how + "\n")
    nop5.wait_exit(EXIT_PANIC)
    assert "Kernel panic - not syncing: " in nop5.text


def test_a_failed_test_shows_the_first_oops_also_when_much_follows(boot):
    nop5 = boot(kernel="nop5-test", cpus=8)
    nop5.send(f"echo EXCEPTION > {PROVOKE}\n")
    nop5.wait_exit(EXIT_PANIC)
    nop5.write(b"later\r\n" * 2000)
    assert re.match(r"\[.*\] BUG: kernel NULL pointer dereference", nop5.says), nop5.says
    assert "RIP: 0010:provoke_exception" in nop5.says
    assert nop5.says.endswith("\nlater\n")


@pytest.mark.parametrize("where", ["entry_SYSCALL_64", "sysret"])
def test_a_machine_check_is_reported_where_the_gs_base_is_the_programs(boot, tmp_path, where):
    """At the first instruction of the kernel, and at its last one. The program's GS base looks like one of the kernel's."""
    nop5 = boot(cpus=1, extra=gdb_port(tmp_path))
    session = gdb(tmp_path, "find /b entry_SYSCALL_64, +512, 0x48, 0x0f, 0x07", f"hbreak *{'$_' if where == 'sysret' else where}", "continue",
                  "set $gs_base = 0xffff888000001000", r'printf "rsp %016lx kernel %016lx\n", $rsp, $k_gs_base',
                  "monitor mce 0 0 0xb200000000000000 5 0 0")  # bank 0: uncorrected; the context is corrupt
    nop5.send("echo\n")
    rsp, kernel = re.search("^rsp ([0-9a-f]{16}) kernel ([0-9a-f]{16})$", session.communicate()[0], re.M).groups()
    nop5.wait_exit(EXIT_PANIC)
    assert re.findall(r"\] mce: \[Hardware Error\]: (.*)", nop5.text) == ["CPU 0: Machine Check Exception: 5", "Bank 0: b200000000000000"]
    place, = re.findall(r"\] RIP: 0010:(\S+)/", nop5.text)
    assert place.startswith("entry_SYSCALL_64_after_hwframe+" if where == "sysret" else "entry_SYSCALL_64+0x0"), place
    assert re.findall(r"\] (?:RSP|GS): +(?:[0-9a-f]{4}:)?([0-9a-f]{16}) ", nop5.text) == [rsp, kernel]
    assert "Kernel panic - not syncing: Fatal machine check" in nop5.text and "Oops" not in nop5.text


def test_panic_0_halts_and_leaves_qemu_running(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="panic=0")
    nop5.send("echo c > /proc/sysrq-trigger\n")
    nop5.expect(r"end Kernel panic - not syncing: ")
    assert nop5.alive


def test_bug_names_file_and_line(boot):
    nop5 = boot(kernel="nop5-test", cpus=1, append="panic=0")
    text = output_of(nop5, f"echo BUG > {PROVOKE}")
    assert re.search(r"kernel BUG at \S+\.c:\d+!", text), text
    report_is_complete(text)
    assert nop5.check("echo on") == "on\n"


def test_warning_reports_and_goes_on(nop5_test):
    text = output_of(nop5_test, f"echo WARNING > {PROVOKE}")
    assert re.search(r"WARNING: CPU: \d+ PID: \d+ at \S+\.c:\d+", text), text
    assert nop5_test.check("echo on") == "on\n"


def test_a_stack_overflow_is_named_with_its_task(boot):
    nop5 = boot(kernel="nop5-test", cpus=2)
    nop5.send(f"echo EXHAUST_STACK > {PROVOKE}\n")
    nop5.wait_exit(EXIT_PANIC)
    assert re.search(r"kernel stack overflow|stack guard page was hit", nop5.text)
    assert re.search(r"Comm: (echo|sh)\b", nop5.text)
    assert "double fault" in nop5.text or "Call Trace" in nop5.text


@pytest.mark.parametrize("how", ["WRITE_RO", "WRITE_KERN", "EXEC_DATA", "EXEC_RODATA", "EXEC_KMALLOC", "EXEC_VMALLOC",
                                 "EXEC_NULL", "ACCESS_NULL"])
def test_forbidden_memory_faults_and_kills_the_task_only(boot, how):
    nop5 = boot(kernel="nop5-test", cpus=1, append="panic=0")
    text = output_of(nop5, f"echo {how} > {PROVOKE}")
    assert re.search(r"BUG: (unable to handle page fault|kernel NULL pointer)", text), text
    assert "Oops" in text
    assert nop5.check("echo on") == "on\n"


def test_a_fault_with_a_lock_held_panics(boot):
    """Nothing could release the lock."""
    nop5 = boot(kernel="nop5-test", cpus=2)
    assert "EXCEPTION_LOCKED" in nop5.check(f"cat {PROVOKE}")
    nop5.send(f"echo EXCEPTION_LOCKED > {PROVOKE}\n")
    nop5.wait_exit(EXIT_PANIC)


def test_an_unknown_fault_is_refused(nop5_test):
    result = nop5_test.run(f"echo NONSENSE > {PROVOKE}")
    assert result.status == 1 and "sh: write error: Invalid argument" in result.lines


def test_a_cpu_that_has_not_been_idle_since_the_boot_is_watched(boot):
    """With one CPU and this self-test alone, the CPU has not been idle when the test checks."""
    nop5 = boot(wait=False, cpus=1, append="selftest=watchdog.a_busy_cpu_has_a_check_to_come")
    nop5.wait_exit(0)


@pytest.mark.parametrize("machine", [dict(cpus=1, icount=True, shift=6), dict(cpus=2, append="watchdog_thresh=2")], ids=["1", "2"])
def test_a_soft_lockup_is_found_and_reported_with_its_backtrace(boot, machine):
    """With the default threshold where ten seconds pass in an instant, and with a short one."""
    nop5 = boot(kernel="nop5-test", **machine)
    nop5.send(f"echo SOFTLOCKUP > {PROVOKE} &\n")
    nop5.expect(r"BUG: soft lockup - CPU#\d+ stuck for \d+s! \[\S+:\d+\]")
    nop5.expect(r"Call Trace:")
    nop5.expect(r"\w+\+0x[0-9a-f]+/0x[0-9a-f]+")


def test_a_hard_lockup_is_found_by_another_cpu(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="watchdog_thresh=2")
    nop5.send(f"echo HARDLOCKUP > {PROVOKE} &\n")
    nop5.expect(r"hard LOCKUP on cpu \d+")
    nop5.expect(r"RIP: 0010:\S*\+0x[0-9a-f]+/0x[0-9a-f]+")


def test_out_of_memory_is_an_error_and_the_memory_comes_back(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, mem="64M")

    def free_kib():
        return int(re.search(r"MemFree: +(\d+)", nop5.check("cat /proc/meminfo")).group(1))

    for _ in range(2):
        before = free_kib()
        result = nop5.run("cat /dev/zero > /tmp/big")
        assert result.status == 1
        assert re.search(r"Cannot allocate memory|No space left on device", result.output), result.output
        assert nop5.check("echo the shell goes on") == "the shell goes on\n"
        nop5.check("rm /tmp/big")
        assert free_kib() >= before - 1024
    assert nop5.check("hackbench -g 1 -l 20")
    nop5.poweroff()


def test_tasks_without_end_run_out_of_memory_without_a_crash(boot):
    """Starts hundreds of background jobs on 32 MiB: the kernel refuses those that do not fit and runs the rest."""
    nop5 = boot(kernel="nop5-test", cpus=2, mem="32M")
    nop5.check("echo 'sleep 100000 &' > /tmp/one")
    for _ in range(6):
        nop5.check("cat /tmp/one /tmp/one /tmp/one > /tmp/many; cat /tmp/many > /tmp/one")
    result = nop5.run("sh /tmp/many")
    assert result.status == 0 or re.search(r"Cannot allocate memory|Resource temporarily unavailable", result.output)
    # The shell itself ends some: a worker of the kernel may have taken the last place for a task.
    nop5.check("n=0; for p in /proc/[0-9]*; do read name < $p/comm; [ $name = sleep ] || continue; "
               "kill ${p#/proc/}; n=$((n + 1)); [ $n != 20 ] || break; done; while [ -d $p ]; do :; done")
    assert nop5.check("tail -n 1 /sys/kernel/debug/page_tables").strip() == "W+X pages: 0"
    nop5.poweroff()
