"""Kprobes from outside: the files of debugfs, the sample modules, and probes in a module that goes."""
import re

import pytest

from clones import machine_at_prompt
from nop5 import BUILD, EXIT_POWEROFF, parse_ktap

KPROBES = "/sys/kernel/debug/kprobes"


@pytest.fixture(scope="module")
def machine():
    machine = machine_at_prompt(build=BUILD, cpus=2)
    machine.check("echo 1 > /proc/sys/kernel/printk")
    yield machine
    machine.close()


def test_files_have_the_modes_and_texts_of_linux(machine):
    assert machine.check(f"cd {KPROBES}; stat -c '%a %n' *") == "400 blacklist\n600 enabled\n400 list\n"
    assert machine.check(f"cat {KPROBES}/list {KPROBES}/enabled") == "1\n"
    lines = machine.check(f"cat {KPROBES}/blacklist").splitlines()
    assert all(re.fullmatch(r"0x[0-9a-f]{16}-0x[0-9a-f]{16}\t\S+", line) for line in lines), lines
    names = {line.split("\t")[1] for line in lines}
    assert {"asm_exc_int3", "do_int3", "kprobe_int3", "arch_kprobe_execute", "ftrace_regs_caller"} <= names
    for word in ("2", "x"):
        assert "Invalid argument" in machine.run(f"echo {word} > {KPROBES}/enabled").output


def test_sample_module_prints_before_and_after_an_instruction(machine):
    machine.check("dmesg -c > /dev/null; modprobe kprobe_example symbol=vfs_write")
    address = machine.check("grep -w vfs_write /proc/kallsyms").split()[0]
    assert machine.check(f"cat {KPROBES}/list") == f"{address}  k  vfs_write+0x0    [FTRACE]\n"
    log = machine.check("echo 1 > /dev/null; dmesg")
    assert f"Planted kprobe at {address}" in log
    assert f"<vfs_write> p->addr = 0x{address}, ip = {int(address, 16) + 1:x}, flags = 0x" in log
    assert f"<vfs_write> p->addr = 0x{address}, flags = 0x" in log
    machine.check(f"echo 0 > {KPROBES}/enabled; dmesg -c > /dev/null")
    assert "p->addr" not in machine.check("echo 1 > /dev/null; dmesg")
    assert machine.check(f"cat {KPROBES}/enabled") == "0\n"
    machine.check(f"echo Y > {KPROBES}/enabled")
    log = machine.check("echo 1 > /dev/null; dmesg")
    assert "kprobes: Kprobes globally enabled" in log and "p->addr" in log
    machine.check("rmmod kprobe_example")
    assert f"kprobe at {address} unregistered" in machine.check("dmesg")
    assert machine.check(f"cat {KPROBES}/list") == ""
    assert "register_kprobe failed, returned -22" in machine.run(
        "dmesg -c > /dev/null; modprobe kprobe_example symbol=do_int3; dmesg").output


def test_sample_module_of_return_probes_prints_results_and_times(machine):
    machine.check("dmesg -c > /dev/null; modprobe kretprobe_example func=vfs_write; echo 12345 > /dev/null")
    log = machine.check(f"cat {KPROBES}/list; dmesg")
    assert re.search(r"^[0-9a-f]{16}  r  vfs_write\+0x0    \[FTRACE\]$", log, re.M)
    assert re.search(r"vfs_write returned 6 and took \d+ ns to execute", log)
    machine.check("rmmod kretprobe_example")
    assert "Missed probing 0 instances of vfs_write" in machine.check("dmesg")


@pytest.mark.parametrize("example, parameter, kind", [("kprobe_example", "symbol", "k"), ("kretprobe_example", "func", "r")])
def test_probe_in_a_module_is_gone_with_the_module(machine, example, parameter, kind):
    machine.check(f"modprobe ftrace-direct; modprobe {example} {parameter}=ftrace_direct:my_direct_func")
    assert re.fullmatch(rf"[0-9a-f]{{16}}  {kind}  my_direct_func\+0x0  ftrace_direct \[FTRACE\]\n", machine.check(f"cat {KPROBES}/list"))
    machine.check("rmmod ftrace-direct")
    assert re.fullmatch(rf"[0-9a-f]{{16}}  {kind}  .*\[GONE\].*\n", machine.check(f"cat {KPROBES}/list"))
    machine.check(f"modprobe ftrace-direct; rmmod {example}; rmmod ftrace-direct")
    assert machine.check(f"cat {KPROBES}/list") == ""
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


def test_probe_inside_a_function_becomes_a_jump_and_an_int3_again(machine):
    optimization = "/proc/sys/debug/kprobes-optimization"
    assert machine.check(f"cat {optimization}; stat -c %a {optimization}") == "1\n644\n"
    for word in ("2", "-1", "x"):
        assert "Invalid argument" in machine.run(f"echo {word} > {optimization}").output
    machine.check("cd /sys/kernel/tracing; echo 'p:inside vfs_write+5 count=%dx:u64' > kprobe_events; echo 1 > events/kprobes/inside/enable")
    line = until_optimized(machine)
    assert re.fullmatch(r"[0-9a-f]{16}  k  vfs_write\+0x5    \[OPTIMIZED\]\n", line)
    before = machine.check("dis vfs_write").split("\n")[1].split()
    assert before[5] == "e9"
    machine.check("echo > trace; echo 12345 > /dev/null")
    assert "inside: (vfs_write+0x5/0x" in machine.check("grep -m 1 'count=6$' trace")
    machine.check(f"dmesg -c > /dev/null; echo 0 > {optimization}")
    assert "[OPTIMIZED]" not in machine.check(f"cat {KPROBES}/list")
    assert machine.check("dis vfs_write").split("\n")[1].split()[5] == "cc"
    machine.check(f"echo > trace; echo 12345 > /dev/null; echo 1 > {optimization}")
    assert "inside: (vfs_write+0x5/0x" in machine.check("grep -m 1 'count=6$' trace")
    log = machine.check("dmesg")
    assert "kprobes: kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.\n" in log
    assert "kprobes: kprobe jump-optimization is enabled. All kprobes are optimized if possible.\n" in log
    assert until_optimized(machine) == line
    machine.check("echo 0 > events/kprobes/inside/enable")
    assert machine.check(f"cat {KPROBES}/list") == line.replace("OPTIMIZED", "DISABLED")
    assert machine.check("dis vfs_write").split("\n")[1].split()[5] == "55"
    machine.check("echo > kprobe_events")


def until_optimized(machine):
    return machine.check(f"until grep OPTIMIZED {KPROBES}/list; do sleep 0.1; done")


def test_a_jump_in_a_module_goes_and_comes_with_the_module(machine):
    machine.check("cd /sys/kernel/tracing; echo 'p:jump ftrace_direct:my_direct_func+5' > kprobe_events; "
                  "modprobe ftrace-direct; echo 1 > events/kprobes/jump/enable")
    for _ in range(2):
        assert re.fullmatch(r"[0-9a-f]{16}  k  my_direct_func\+0x5  ftrace_direct \[OPTIMIZED\]\n", until_optimized(machine))
        machine.check("echo > trace; touch /tmp/jump; hackbench -g 1 -l 10")
        assert "jump: (my_direct_func+0x5/0x" in machine.check("grep -m 1 jump: trace")
        machine.check("rmmod ftrace-direct")
        assert re.fullmatch(r"[0-9a-f]{16}  k  .*\[GONE\].*\n", machine.check(f"cat {KPROBES}/list"))
        machine.check("modprobe ftrace-direct")
    machine.check("echo 0 > events/kprobes/jump/enable; echo > kprobe_events; rmmod ftrace-direct")
    assert machine.check(f"cat {KPROBES}/list") == ""
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


def test_a_return_probe_of_a_function_without_a_call_site_becomes_a_jump(machine):
    machine.check("cd /sys/kernel/tracing; echo 'r:copied memcpy $retval' > kprobe_events; echo 1 > events/kprobes/copied/enable")
    assert re.fullmatch(r"[0-9a-f]{16}  r  memcpy\+0x0    \[OPTIMIZED\]\n", until_optimized(machine))
    machine.check("echo > trace; head -c 10 /proc/version")
    assert re.search(r"copied: \(\w+\+0x\w+/0x\w+ <- memcpy\) arg1=0x[0-9a-f]{16}$", machine.check("grep -m 1 copied: trace"), re.M)
    machine.check("echo 0 > events/kprobes/copied/enable; echo > kprobe_events")
    assert machine.check(f"cat {KPROBES}/list") == ""


def test_a_jump_in_a_function_that_a_live_patch_replaces_is_hit_before_and_after(machine):
    patch = "/sys/kernel/livepatch/livepatch_sample"
    wait = f"until [ \"$(cat {patch}/transition)\" = 0 ]; do sleep 0.1; done"
    machine.check("cd /sys/kernel/tracing; echo 'p:old cmdline_proc_show+5' > kprobe_events; echo 1 > events/kprobes/old/enable")
    until_optimized(machine)

    def hits():
        return int(machine.check("cat kprobe_profile").split()[1])

    machine.check("head /proc/cmdline")
    assert hits() == 1
    machine.check(f"modprobe livepatch-sample; {wait}")
    before = hits()  # modprobe reads /proc/cmdline, too
    assert machine.check("head /proc/cmdline") == "this has been live patched\n"
    assert hits() == before and "[OPTIMIZED]" in machine.check(f"cat {KPROBES}/list")
    # The optimizer takes the jump back and writes it again while the patch is there.
    machine.check("echo 0 > /proc/sys/debug/kprobes-optimization; head /proc/cmdline; echo 1 > /proc/sys/debug/kprobes-optimization")
    until_optimized(machine)
    machine.check(f"echo 0 > {patch}/enabled; while [ -d {patch} ]; do sleep 0.1; done")
    assert "live patched" not in machine.check("head /proc/cmdline")
    assert hits() == before + 1
    machine.check("rmmod livepatch-sample; echo 0 > events/kprobes/old/enable; echo > kprobe_events")
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


@pytest.mark.soak
def test_probes_at_all_instructions_of_the_kernel_change_no_result(boot):
    machine = boot(wait=False, cpus=4, append="selftest=kprobes_text* selftest_kprobe_step=1")
    assert machine.wait_exit(progress=r"instructions so far") == EXIT_POWEROFF
    report = parse_ktap(machine.text)
    assert not report.failed and len(report.passed) == 1, "\n".join(report.failed)
