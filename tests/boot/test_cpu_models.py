"""Each CPU model of QEMU boots and traces, or the boot says in one line what it lacks, and stops as after a panic."""
import re
import subprocess

import pytest

from nop5 import EXIT_PANIC

VERIFY = "echo function > /sys/kernel/tracing/current_tracer; cat /sys/kernel/debug/ftrace_verify; head -n 200 /sys/kernel/tracing/trace"

# What the oldest models lack first. CPUs that Intel and AMD sold before cmpxchg16b, and all without 64-bit mode.
NO_64_BITS = "64-bit mode (LM)"
NO_CX16 = "cmpxchg16b (CX16)"
LACKS = {"486": NO_64_BITS, "pentium": NO_64_BITS, "pentium2": NO_64_BITS, "pentium3": NO_64_BITS, "athlon": NO_64_BITS, "coreduo": NO_64_BITS,
         "n270": NO_64_BITS, "kvm32": NO_64_BITS, "qemu32": NO_64_BITS, "base": NO_64_BITS, "Opteron_G1": NO_CX16, "Conroe": NO_CX16}

# QEMU 7.2 never ends the MOV to CR4 that sets OSXSAVE if the CPU has XSAVE without XSAVEOPT. Linux 6.1 hangs there, too.
XSAVE_ALONE = {"Opteron_G4", "Opteron_G5"}

# Different in kind: 64 bits only, no XSAVE, XSAVE of AMD, SMEP and SMAP, all that TCG has.
QUICK = ["qemu32", "Opteron_G1", "phenom", "Opteron_G4", "EPYC-Milan-v1", "Nehalem-v1"]


def models():
    """Each version of each model, but for `host`, which only KVM has."""
    listing = subprocess.run(["qemu-system-x86_64", "-cpu", "help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^(?:x86 )?\s*(\S+)", listing.partition("\n\n")[0], re.M)
    versions = {name for name in names if re.search(r"-v\d+$", name)}
    return sorted(versions | {"base", "max"})


def boots_and_traces(machine):
    text = machine.check(VERIFY)
    assert re.search(r"^\d+ sites, 0 mismatches$", text, re.M) and " <-" in text, text
    machine.poweroff()


def refuses(machine, what):
    """The machine says in one line what it lacks. No report of a panic stands around it."""
    machine.wait_exit(EXIT_PANIC)
    assert re.search(rf"^(\[[ .\d]+\] )?nop5 needs {re.escape(what)}$", machine.text, re.M), machine.says
    assert "panic" not in machine.text and "Call Trace" not in machine.text, machine.says


def judge(boot, model):
    family = re.sub(r"-v\d+$", "", model)
    if family in LACKS:
        refuses(boot(cpu=model, cpus=2, wait=False), f"a CPU with {LACKS[family]}")
    else:
        boots_and_traces(boot(cpu=model + ",+xsaveopt" * (family in XSAVE_ALONE), cpus=2))


@pytest.mark.parametrize("model", QUICK)
def test_a_model_of_each_kind_boots_and_traces_or_says_why_not(boot, model):
    judge(boot, model)


@pytest.mark.soak
@pytest.mark.parametrize("model", models())
def test_each_model_boots_and_traces_or_says_why_not(boot, model):
    judge(boot, model)


@pytest.mark.parametrize("feature, name", [
    ("cx16", NO_CX16), ("lm", NO_64_BITS), ("nx", "pages without execution (NX)"), ("msr", "rdmsr and wrmsr (MSR)"),
    ("pae", "3-level page tables (PAE)"), ("tsc", "rdtsc (TSC)"), ("cmov", "cmov (CMOV)"), ("fpu", "an FPU (FPU)"),
    ("fxsr", "fxsave (FXSR)"), ("sse2", "SSE2 (SSE2)"), ("syscall", "syscall (SYSCALL)"), ("apic", "a local APIC (APIC)"),
    ("pge", "global pages (PGE)")])
def test_a_cpu_without_a_needed_feature_is_refused_by_its_name(boot, feature, name):
    refuses(boot(cpu=f"max,-{feature}", cpus=1, wait=False), f"a CPU with {name}")


def test_a_feature_without_its_cpuid_leaf_is_not_used(boot):
    machine = boot(cpu="max,level=1", cpus=2)
    assert " xsave " not in machine.check("grep flags /proc/cpuinfo")
    boots_and_traces(machine)


def test_a_machine_without_acpi_and_io_apic_polls_its_serial_line(boot):
    machine = boot(cpus=1, extra=["-machine", "isapc"])
    assert "no interrupt 4 in this machine, polling" in machine.text
    assert machine.check("i=0; while [ $i -lt 200 ]; do echo a line of some length $i; i=$((i + 1)); done").count("\n") == 200
    boots_and_traces_without_power(machine)


def boots_and_traces_without_power(machine):
    """isapc cannot switch itself off."""
    text = machine.check(VERIFY)
    assert re.search(r"^\d+ sites, 0 mismatches$", text, re.M), text


def test_a_command_line_that_damages_the_loaders_information_is_named(boot):
    refuses(boot(append="x" * 20000, cpus=1, wait=False),
            "usable memory, of which the boot loader names none (PVH: the start information is damaged; QEMU does so with a long command line)")
