"""nop5 in Bochs, a second machine: x2APIC, TSC deadline, PCID and CET, which QEMU's TCG lacks, and another way to execute each instruction.

Bochs interprets, and takes some ten seconds of the host for a boot. All machines here are started by `scripts/boot --bochs`.
"""
import re
import shlex
import subprocess

import pytest

from nop5 import BUILD, ROOT, eventually, host, parse_ktap
import bochs

TRACING = "cd /sys/kernel/tracing"
VERIFY = "cat /sys/kernel/debug/ftrace_verify"
SOUND = re.compile(r"^\d+ sites, 0 mismatches$", re.M)

# With PCID and x2APIC; of AMD, without both; with CET; the first one with 64 bits that has all that nop5 needs.
MODELS = ["corei7_skylake_x", "ryzen", "tigerlake", "core2_penryn_t9600"]
# A model without 64-bit mode, and the oldest one with it, of AMD, which has no cmpxchg16b.
REFUSED = {"p4_willamette": "64-bit mode (LM)", "core_duo_t2400_yonah": "64-bit mode (LM)", "athlon64_clawhammer": "cmpxchg16b (CX16)"}


def boot_bochs(*arguments, run=host):
    return run([ROOT / "scripts/boot", "--bochs", *arguments], cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
               stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def boot_bochs_for_long(*arguments):
    """A machine that may run for longer than HANG. --timeout limits each command."""
    return boot_bochs(*arguments, run=subprocess.run)


def trace_with(tracer, mark):
    """Commands that trace hackbench, and print how many of the first lines hold mark, and whether all call sites are right."""
    return (f"echo {tracer} > current_tracer", "hackbench -g 1 -l 1 > /dev/null", f"head -n 100 trace | grep -c '{mark}'",
            VERIFY, "echo nop > current_tracer")


def switch_events(messages):
    """Commands that switch all events on and off until hackbench ends. A shell may forget the status of a job that has ended."""
    return (f"(hackbench -g 1 -l {messages} > /tmp/out; echo $? > /tmp/status) &",
            "while echo 1 > events/enable; echo 0 > events/enable; kill -0 $! 2> /dev/null; do :; done; wait; [ $(cat /tmp/status) = 0 ]",
            "grep -c sys_ trace", VERIFY)


def arguments_of_the_manual():
    """Of the command with --bochs that docs/boot.md shows: two CPUs, whose number is printed first, and the verification."""
    line = next(line for line in (ROOT / "docs/boot.md").read_text().splitlines() if line.startswith("scripts/boot --bochs "))
    return shlex.split(line)[2:]


def test_two_cpus_boot_trace_and_switch_events(images):
    result = boot_bochs(*arguments_of_the_manual(), TRACING, *trace_with("function", " <-"),
                        *trace_with("function_graph", "() {"), *switch_events(1), "poweroff")
    assert result.returncode == 0, result.stderr + result.stdout
    assert len(SOUND.findall(result.stdout)) == 4, result.stdout
    counts = [int(line) for line in result.stdout.splitlines() if line.isdigit()]
    assert counts[0] == 2 and len(counts) == 4 and min(counts) > 0, result.stdout


@pytest.mark.soak
def test_a_panic_ends_bochs_with_3_and_its_report(images):
    result = boot_bochs("--cpus", "1", "echo c > /proc/sysrq-trigger")
    assert result.returncode == 3
    assert "Kernel panic - not syncing: sysrq triggered crash" in result.stderr and not result.stdout


@pytest.mark.parametrize("arguments, message", [
    (["--elf"], "--bochs does not go with --elf"),
    (["--icount"], "--bochs does not go with --icount"),
    (["--mem", "much"], "--mem much: not a number of megabytes"),
    (["--cpu", "no_such_model"], "Bochs does not start: "),
], ids=["elf", "icount", "mem", "model"])
def test_bochs_says_4_when_it_could_not_begin(images, arguments, message):
    result = boot_bochs(*arguments, "ls")
    assert result.returncode == 4
    assert message in result.stderr and "Traceback" not in result.stderr and not result.stdout


def test_bochs_says_4_and_names_its_packages_when_they_are_missing(images, tmp_path):
    result = host([ROOT / "scripts/boot", "--bochs", "ls"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                  env={"PATH": str(tmp_path)})
    assert result.returncode == 4
    assert result.stderr == "scripts/boot: --bochs needs Debian's packages: apt install bochs\n"


def test_the_packages_of_bochs_are_found_by_their_files(monkeypatch):
    assert bochs.missing_packages() == []
    for name in ("BIOS", "VGA_BIOS", "TERMINAL"):
        monkeypatch.setattr(bochs, name, "/nowhere")
    assert bochs.missing_packages() == ["bochs-term", "bochsbios", "vgabios"]


def test_the_screen_of_the_machine_is_read(images):
    """Else Bochs stands still when the cursor has blinked for some minutes of the machine's time."""
    machine = bochs.Bochs(BUILD / "nop5.iso", 1, "64M")
    try:
        eventually(lambda: machine.displayed)
    finally:
        machine.process.kill()
        machine.wait(None)


@pytest.mark.soak
@pytest.mark.parametrize("arguments, status, message", [
    (["--timeout", "30", "sleep 100000"], 2, "time-out after 30 s while running 'sleep 100000'"),
    (["--kernel", "nop5-test", "echo EXCEPTION > /sys/kernel/debug/provoke-crash/DIRECT"], 3, "BUG: kernel NULL pointer dereference"),
    (["--kernel", "nop5-test", "echo TRIPLE_FAULT > /sys/kernel/debug/provoke-crash/DIRECT"], 3, "triple fault"),
    (["echo up", "reboot -f"], 0, ""),
    (["cat /nowhere", "poweroff"], 1, ""),
    (["--append", "selftest=nothing.like.this"], 1, "no self-test matches"),
], ids=["time-out", "oops", "triple-fault", "reset", "failure", "selftest"])
def test_each_end_of_a_machine_has_its_status(images, arguments, status, message):
    result = boot_bochs("--cpus", "1", *arguments)
    assert result.returncode == status, result.stderr
    assert message in result.stderr


@pytest.mark.soak
@pytest.mark.parametrize("model", REFUSED)
def test_a_model_that_lacks_something_is_refused_in_a_line(images, model):
    result = boot_bochs("--cpus", "1", "--cpu", model, "ls")
    assert result.returncode == 3
    assert re.search(rf"^(\[[ .\d]+\] )?nop5 needs a CPU with {re.escape(REFUSED[model])}$", result.stderr, re.M), result.stderr
    assert "Call Trace" not in result.stderr


@pytest.mark.soak
@pytest.mark.parametrize("cpus", [1, 2, 4])
@pytest.mark.parametrize("model", MODELS)
def test_selftests_pass_on_each_model(images, model, cpus):
    result = boot_bochs_for_long("--cpu", model, "--cpus", str(cpus), "--timeout", "20000",
                                 "--append", "selftest selftest_fuzz=10 selftest_refuse=997")
    report = parse_ktap(result.stdout)
    assert not report.failed, "\n".join(report.failed)
    assert result.returncode == 0, result.stderr
    assert report.totals == (len(report.passed), 0) and len(report.passed) >= 250


@pytest.mark.soak
@pytest.mark.parametrize("cpus", [1, 2, 4])
@pytest.mark.parametrize("model", MODELS)
def test_a_storm_of_tracers_and_events_on_each_model(images, model, cpus):
    storm = [command for tracer, mark in (("function", " <-"), ("function_graph", "() {")) * 3
             for command in (*trace_with(tracer, mark), *switch_events(20))]
    result = boot_bochs_for_long("--cpu", model, "--cpus", str(cpus), "--timeout", "3600", TRACING, *storm, "stress -c 4 -t 2", "poweroff")
    assert result.returncode == 0, result.stderr + result.stdout
    assert len(SOUND.findall(result.stdout)) == 12, result.stdout
