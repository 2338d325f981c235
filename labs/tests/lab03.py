"""The tests of lab 3: text patching, on a model of the other CPUs (lab03_patch.c) and in a running kernel."""
import re

from lab_test import expect

RULES = {
    "emulate": "the new instruction to be emulated at an int3",
    "found": "text_patch_int3() to know each int3 that a CPU can execute",
    "order": "every mixture of bytes that a CPU can fetch to be one whole instruction or an int3",
    "final": "all CPUs to be synchronized after the last write",
    "rounds": "three synchronizations for a batch of three sites, and for one of one site",
    "readers": "text_patch_apply() to wait until no handler reads its patches",
}


def on_the_model(lab, mode):
    program = lab.host_program("lab03_patch.c")
    result = lab.run("timeout", str(lab.timeout), program, mode)
    crash = re.search(r"^SUMMARY: \w+: (.*)", result.stdout, re.M)
    seen = f"a crash: {crash[1]}" if crash else result.stdout or "a crash"
    if result.returncode == 124:
        seen = f"no end within {lab.timeout} s: a loop that never ends, or one that waits without cpu_relax()"
    expect(result.returncode == 0, RULES[mode], seen)


def test_boots(lab):
    version, = lab.boot("cat /proc/version", cpus=4)
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_emulate(lab):
    on_the_model(lab, "emulate")


def test_found(lab):
    on_the_model(lab, "found")


def test_order(lab):
    on_the_model(lab, "order")


def test_final(lab):
    on_the_model(lab, "final")


def test_rounds(lab):
    on_the_model(lab, "rounds")


def test_readers(lab):
    on_the_model(lab, "readers")


def test_kernel(lab):
    lab.selftest("ftrace.int3_emulates_the_call_while_a_site_is_half_patched", cpus=4)
    lab.selftest("ftrace.every_function_traced_on_and_off_keeps_the_system_running", cpus=4)
