#!/usr/bin/python3
"""`make bench`: the costs of nop5 in instructions, in a table with the targets and the costs of Linux.

QEMU runs with -icount shift=0,sleep=off and one CPU. Each instruction advances the TSC by one, so the figures are
exact and the same on every host. The exceptions are the build, the export and the conversion, which are measured in
time. Writes build/bench.json.

The kernel measures itself (selftest/bench/kernel.c), and programs measure what programs pay (programs.c, perf.c, bpf.c). The figures of Linux are in linux-6.1.json. LINUX=1 (or --linux)
measures them again with the program linux-ref. LINUX_REF is its path.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/boot"))

sys.path.insert(0, str(ROOT / "tests"))

from elf import Elf  # noqa: E402
from export import measure_export  # noqa: E402
from nop5 import Nop5  # noqa: E402
import bpf  # noqa: E402
import latency  # noqa: E402
import modules  # noqa: E402
import perf  # noqa: E402
import programs  # noqa: E402
import uprobes  # noqa: E402
from test_graph_raw import ENTRY, events  # noqa: E402

LINUX_FILE = HERE / "linux-6.1.json"
LINUX_REF = os.environ.get("LINUX_REF", "/work/shared/tools/linux-ref")
RESULT = ROOT / "build/bench.json"

# name: (description, unit, target). NAME_WIDTH is the width of the description column.
NAME_WIDTH = 39
FIGURES = {
    "boot": ("kernel entry to prompt, 1 CPU, 256 MiB", "instructions", 40_000_000),
    "pipe": ("context switch through a pipe", "instructions", 600),
    "kmalloc": ("kmalloc + kfree of 64 bytes", "instructions", 60),
    "tracepoint_off": ("a tracepoint that is off, beyond its nop", "instructions", 0),
    "tracepoint_on": ("a tracepoint with an empty probe", "instructions", 40),
    "tracepoints_all": ("enable all tracepoints, for each", "instructions", 600),
    "event_sched_switch": ("event sched_switch, for each", "instructions", 260),
    "events_sched": ("all sched events, per pipe switch", "instructions", 900),
    "event_sys_enter": ("event sys_enter, per system call", "instructions", 160),
    "event_sys_both": ("events sys_enter and sys_exit", "instructions", 400),
    "event_filtered": ("event sys_enter, dropped by id == 7", "instructions", 80),
    "hist_key": ("hist:keys=id of sys_enter", "instructions", 150),
    "hist_keys": ("hist:keys=id,common_pid:vals=id", "instructions", 330),
    "events_all": ("enable all events, per event", "instructions", 600),
    "events_all_site": ("the same, per patched site", "instructions", 600),
    "events_all_tracepoint": ("the same, per tracepoint", "instructions", None),
    "branch_site": ("static branch, per site in a batch", "instructions", 300),
    "text": ("text of the kernel", "kB", None),
    "build": ("clean build on 2 cores", "s", 60),
    "traced_call": ("traced call, function tracer", "instructions", 105),
    "traced_call_stack": ("the same with func_stack_trace", "instructions", 900),
    "graph_call": ("traced call and return, function_graph", "instructions", 300),
    "graph_and_function": ("the same, and the function tracer on it", "instructions", 600),
    "profiled_call": ("profiled call", "instructions", 250),
    "graph_bytes": ("buffer for a call: entry and return", "bytes", 68),
    "event_bytes": ("buffer for each event", "bytes", 28),
    "enable_site": ("enable all functions, per site", "instructions", 170),
    "disable_site": ("disable all functions, per site", "instructions", 500),
    "site_bytes": ("memory for each site", "bytes", 8),
    "enable_ballast": ("enable all, 40,000 functions more", "instructions", 25_000_000),
    "share": ("traceable functions outside trace/", "%", 85),
    "export": ("trace-export of a full buffer, raw", "bytes/s", 2_000_000),
    "export_socket": ("the same through make run's socket", "bytes/s", 2_000_000),
    "export_lost": ("lost in vfs_* streamed under hackbench", "events", 0),
    "convert": ("trace-convert of 100 MB, slowest format", "calls/s", 200_000),
    "convert_memory": ("its memory, largest format", "MB", 200),
    "ops_own": ("empty callback, its own trampoline", "instructions", 24),
    "ops_regs": ("the same with all registers", "instructions", 90),
    "ops_list": ("two tracing callbacks through the list", "instructions", 380),
    "probe_off": ("a traceoff probe with tracing off", "instructions", 60),
    "kprobe_event": ("kprobe event at a function's entry", "instructions", 165),
    "kprobe_event_args": ("the same with two arguments", "instructions", 300),
    "fprobe_event": ("fprobe event at a function's entry", "instructions", 220),
    "fprobe_event_args": ("the same with two arguments", "instructions", 300),
    "fprobe_event_return": ("fprobe event at a function's return", "instructions", 420),
    "kprobe_event_int3": ("kprobe event inside a function, int3", "instructions", 700),
    "kprobe_event_jump": ("kprobe event inside a function, jump", "instructions", 300),
    "kretprobe_event": ("kretprobe event", "instructions", 310),
    "klp_call": ("live-patched function, more per call", "instructions", 60),
    "klp_unpatch": ("removing a live patch of 15 functions", "instructions", 180_000),
    "direct_call": ("function replaced by a direct jmp", "instructions", 2),
    "ops_register": ("register + unregister, one function", "instructions", 100_000),
    "sched_switch": ("sched_switch on, per event", "instructions", 260),
    "sched_events": ("all sched events on, per pipe switch", "instructions", 900),
    **programs.FIGURES,
    **latency.FIGURES,
    **modules.FIGURES,
    **uprobes.FIGURES,
    **perf.FIGURES,
    **bpf.FIGURES,
    "off": ("hackbench with nops, over WITHOUT=ftrace", "% more", None),
    "calls": ("hackbench, ftrace_nop=0, over nops", "% more", None),
}
AT_LEAST = {"share", "export", "export_socket", "convert"}
BALLAST = 40_000
HACKBENCH = "hackbench -g 1 -l 200"


def measure_boot(stages):
    """Boot the kernel that users boot. Return {figure: value}, and add the stages of the boot to stages."""
    with Nop5(cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        stages.update({name: int(since) for name, _, since in
                       re.findall(r"^(\w+) +(\d+) +(\d+)$", machine.check("cat /sys/kernel/debug/boot_time"), re.M)})
        machine.poweroff()
    return {"boot": stages["prompt"]}


def measure_kernel():
    values = {}
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        for name in ("pipe", "kmalloc"):
            text = machine.check(f"cat /sys/kernel/debug/bench/{name}")
            values[name] = int(re.search(r"(\d+) each", text).group(1))
        for name, events in (("sched_switch", "sched/sched_switch"), ("sched_events", "sched")):
            machine.check(f"echo 1 > /sys/kernel/tracing/events/{events}/enable; cat /sys/kernel/debug/bench/pipe > /tmp/pipe")
            machine.check("echo 0 > /sys/kernel/tracing/events/enable")
            values[name] = int(re.search(r"(\d+) each", machine.check("cat /tmp/pipe")).group(1)) - values["pipe"]
        text = machine.check("cat /sys/kernel/debug/tracepoint_bench")
        values["tracepoint_off"] = int(re.search(r"more, off: (\d+)", text).group(1)) - 1
        values["tracepoint_on"] = int(re.search(r"empty probe: (\d+)", text).group(1))
        values["tracepoints_all"] = int(re.search(r" 0 errors: on (\d+)", text).group(1))
        values["branch_site"] = int(re.search(r"more: (\d+)", text).group(1))
        machine.poweroff()
    return values


def figures_of(pattern, text):
    return [int(value) for value in re.findall(pattern, text, re.M)]


def measure_tracing():
    """Measure the cost of a traced call, without the call itself, with the default clock; and of switching."""
    values = {}
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()

        def mean():
            return figures_of(r"(\d+) each", machine.check("cat /sys/kernel/debug/bench/call"))[0]

        call = mean()
        text = machine.check("cat /sys/kernel/debug/ftrace_bench")
        values["enable_site"], values["disable_site"] = figures_of(r"(\d+) each", text)
        ops = dict(re.findall(r"^(.+): (\d+) ticks$", machine.check("cat /sys/kernel/debug/ftrace_ops_bench"), re.M))
        values["ops_own"] = int(ops["own trampoline"])
        values["ops_regs"] = int(ops["own trampoline with registers"])
        values["ops_list"] = int(ops["list of two, both tracing"])
        values["ops_register"] = int(ops["register and unregister"])
        replaced = dict(re.findall(r"^(.+): (\d+) ticks$", machine.check("cat /sys/kernel/debug/livepatch_bench"), re.M))
        values["klp_call"] = int(replaced["live patch"])
        values["klp_unpatch"] = int(replaced["unpatching 15 functions"])
        values["direct_call"] = int(replaced["direct jmp"])
        machine.check("cd /sys/kernel/tracing")
        machine.check("echo bench_call > set_ftrace_filter")
        machine.check("echo function > current_tracer")
        for name, option in (("traced_call", 0), ("traced_call_stack", 1)):
            machine.check(f"echo {option} > options/func_stack_trace; echo > trace")
            values[name] = mean() - call
            if not option:
                stats = machine.check("cat per_cpu/cpu0/stats")
                values["event_bytes"] = figures_of(r"^bytes: (\d+)", stats)[0] // figures_of(r"^entries: (\d+)", stats)[0]
        machine.poweroff()
    return values


def measure_events():
    """Measure what events cost in a loop of switches and in one of system calls, by the means of the loops."""
    values = {}
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        machine.check("cd /sys/kernel/tracing/events")

        def more(loop, on, off):
            figures = []
            for command in (on, off):
                machine.check(command)
                figures += figures_of(r"(\d+) each", machine.check(f"cat /sys/kernel/debug/bench/{loop}"))
            return figures[0] - figures[1]

        def enabled(loop, *files):
            return more(loop, *("; ".join(f"echo {on} > {file}/enable" for file in files) for on in (1, 0)))

        def triggered(trigger):
            file = "raw_syscalls/sys_enter/trigger"
            return more("syscall", f"echo '{trigger}' > {file}", f"echo '!{trigger}' >> {file}")

        values["event_sched_switch"] = enabled("pipe", "sched/sched_switch")
        values["events_sched"] = enabled("pipe", "sched")
        values["event_sys_enter"] = enabled("syscall", "raw_syscalls/sys_enter")
        values["event_sys_both"] = enabled("syscall", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit")
        machine.check("echo 'id == 7' > raw_syscalls/sys_enter/filter")
        values["event_filtered"] = enabled("syscall", "raw_syscalls/sys_enter")
        machine.check("echo 0 > raw_syscalls/sys_enter/filter")
        values["hist_key"] = triggered("hist:keys=id")
        values["hist_keys"] = triggered("hist:keys=id,common_pid:vals=id")
        text = machine.check("cat /sys/kernel/debug/events_bench")
        ticks, tracepoints, sites = map(int, re.match(r"all: on (\d+).*?(\d+) tracepoints, (\d+) sites", text).groups())
        values["events_all"] = ticks // int(machine.check("grep -c . ../available_events"))
        values["events_all_site"] = ticks // (tracepoints + sites)
        values["events_all_tracepoint"] = ticks // tracepoints
        machine.poweroff()
    return values


def measure_probe():
    """Measure a probe that has nothing to do, set up as a user does it."""
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()

        def mean():
            return figures_of(r"(\d+) each", machine.check("cat /sys/kernel/debug/bench/call"))[0]

        call = mean()
        machine.check("cd /sys/kernel/tracing; echo 0 > tracing_on; echo bench_call:traceoff > set_ftrace_filter")
        value = mean() - call
        machine.poweroff()
    return {"probe_off": value}


def measure_kprobe_events():
    """Measure what a hit of an event of a probe in the kernel costs."""
    commands = {"kprobe_event": "p:e bench_call", "kprobe_event_args": "p:e bench_call a=$arg1 b=$arg1",
                "kprobe_event_int3": "p:e bench_call+5", "kretprobe_event": "r:e bench_call",
                "fprobe_event": "f:kprobes/e bench_call", "fprobe_event_args": "f:kprobes/e bench_call a=$arg1 b=$arg1",
                "fprobe_event_return": "f:kprobes/e bench_call%return"}
    values = {}
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        machine.check("cd /sys/kernel/tracing")

        def mean():
            return figures_of(r"(\d+) each", machine.check("cat /sys/kernel/debug/bench/call"))[0]

        call = mean()
        machine.check("echo 0 > /proc/sys/debug/kprobes-optimization")
        for name, command in commands.items():
            machine.check(f"echo '{command}' > dynamic_events; echo 1 > events/kprobes/e/enable")
            values[name] = mean() - call
            machine.check("echo 0 > events/kprobes/e/enable")
        machine.check(f"echo 1 > /proc/sys/debug/kprobes-optimization; echo '{commands['kprobe_event_int3']}' > dynamic_events")
        machine.check("echo 1 > events/kprobes/e/enable; until grep OPTIMIZED /sys/kernel/debug/kprobes/list; do sleep 0.1; done")
        values["kprobe_event_jump"] = mean() - call
        machine.poweroff()
    return values


def measure_graph():
    """Measure calls with traced returns, with the default clock. The profiler writes no events: its figure is a mean."""
    values = {}
    with Nop5(kernel="nop5-test", cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()

        def mean():
            return figures_of(r"(\d+) each", machine.check("cat /sys/kernel/debug/bench/call"))[0]

        call = mean()
        machine.check("cd /sys/kernel/tracing; echo 40 > buffer_size_kb; echo bench_call > set_ftrace_filter")
        machine.check("mkdir instances/other; echo bench_call > instances/other/set_ftrace_filter")
        for name, other in (("graph_call", "nop"), ("graph_and_function", "function")):
            machine.check(f"echo {other} > instances/other/current_tracer; echo function_graph > current_tracer")
            machine.check("cat /sys/kernel/debug/bench/call > /tmp/call; echo nop > instances/other/current_tracer")
            if name == "graph_call":
                stats = machine.check("cat per_cpu/cpu0/stats")
                values["graph_bytes"] = 2 * figures_of(r"^bytes: (\d+)", stats)[0] // figures_of(r"^entries: (\d+)", stats)[0]
            machine.check("echo 0 > tracing_on")
            data = machine.fetch_bytes("cat per_cpu/cpu0/trace_pipe_raw")
            machine.check("echo nop > current_tracer; echo 1 > tracing_on")
            stamps = [stamp for stamp, event in events(data) if event[0] == ENTRY]
            steps = sorted(later - earlier for earlier, later in zip(stamps, stamps[1:]))
            values[name] = steps[len(steps) // 2] - call
        machine.check("echo 1 > function_profile_enabled")
        values["profiled_call"] = mean() - call
        machine.poweroff()
    return values


def build_variant(*variables):
    directory = ROOT / "build/bench" / "-".join(variables).lower().replace("=", "")
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", f"O={directory.relative_to(ROOT)}", "all", "test-kernel", *variables],
                   cwd=ROOT, check=True)
    return directory


def measure_ballast():
    """Measure a kernel with many more functions. The cost per site must not grow with the number of sites."""
    with Nop5(kernel="nop5-test", build=build_variant(f"BALLAST={BALLAST}"), cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        enable, _ = figures_of(r"(\d+) ticks", machine.check("cat /sys/kernel/debug/ftrace_bench"))
        sites, pages = map(int, re.match(r"(\d+) pages:(\d+)", machine.check(
            "cat /sys/kernel/tracing/dyn_ftrace_total_info")).groups())
        machine.poweroff()
    return {"enable_ballast": enable, "site_bytes": round(pages * 4096 / sites, 1)}


def measure_share():
    """Measure the share of the functions outside trace/ that have a call site in the image."""
    image = Elf(ROOT / "build/nop5.elf")
    sites = set(image.call_sites())
    tracing = {f.name for path in (ROOT / "build/obj/trace").rglob("*.o") for f in Elf(path).functions()}
    functions = {f.value for f in image.functions() if f.name not in tracing}
    return {"share": round(100 * len(functions & sites) / len(functions), 1)}


def hackbench(build, append):
    """Return the instructions of one run of hackbench: the difference of two readings of the trace clock."""
    with Nop5(build=build, cpus=1, mem="256M", icount=True, append=append) as machine:
        machine.wait_prompt()
        machine.check("echo x86-tsc > /sys/kernel/tracing/trace_clock")
        line = f"cd /sys/kernel/tracing/per_cpu/cpu0; cat stats; {HACKBENCH}; cat stats"
        start, end = figures_of(r"^now ts: (\d+)", machine.check(line))
        machine.poweroff()
    return end - start


def measure_off():
    nop = hackbench(ROOT / "build", "")
    none = hackbench(build_variant("WITHOUT=ftrace"), "")
    calls = hackbench(ROOT / "build", "ftrace_nop=0")
    return {"off": round(100 * (nop / none - 1), 2), "calls": round(100 * (calls / nop - 1), 2)}


def measure_text():
    """Measure the text as `size` defines it: code and constant data of the kernel, without the self-tests."""
    sizes = subprocess.run(["size", ROOT / "build/nop5.elf"], text=True, check=True, stdout=subprocess.PIPE).stdout
    return {"text": round(int(sizes.splitlines()[1].split()[0]) / 1000)}


def measure_build():
    """Measure the seconds of a clean build, in a new directory, on two cores."""
    directory = ROOT / "build/bench"
    shutil.rmtree(directory, ignore_errors=True)
    command = ["make", "-s", "-j2", f"O={directory.relative_to(ROOT)}"]
    if shutil.which("taskset") and os.cpu_count() > 2:
        command = ["taskset", "-c", "0,1", *command]
    start = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True)
    seconds = time.monotonic() - start
    shutil.rmtree(directory)
    return {"build": round(seconds, 1)}


def measure_linux():
    """Run pingpong.c, tracing.c and programs.c on the kernel of Debian, in a machine of the same kind."""
    static = [ROOT / "build" / name for name in ("pingpong", "tracing")]
    for program in static:
        subprocess.run(["gcc", "-O2", "-static", "-Wall", "-o", program, (HERE / program.name).with_suffix(".c")], check=True)
    command = [LINUX_REF, "--icount", "--cpus", "1"]
    for program in [*static, programs.build(ROOT / "build/bench-programs")]:
        command += ["--add", program]
    text = subprocess.run([*command, "uname -r", programs.SAME_ADDRESSES, "pingpong", "tracing", "programs"], text=True, check=True, stdout=subprocess.PIPE).stdout
    print(text)
    figures = json.loads(LINUX_FILE.read_text()) if LINUX_FILE.exists() else {}
    figures["kernel"] = text.split()[0]
    figures["pipe"], = figures_of(r"^pipe (\d+)", text)
    figures.update(programs.figures_of(text))
    figures["events_all"], = figures_of(r"^events_all (\d+)", text)
    figures["ops_register"], = figures_of(r"^ops_register (\d+)", text)
    figures.update(perf.measure_perf_of_linux(LINUX_REF))
    figures.update(bpf.measure_bpf_of_linux(LINUX_REF))
    LINUX_FILE.write_text(json.dumps(figures, indent=2) + "\n")


def number(value):
    if value is None:
        return "-"
    return f"{value / 1e6:,.0f} M" if value >= 10_000_000 else f"{value:,}"


def misses(name, value):
    """Return True if the value misses its target. None: the kernel could not be measured."""
    target = FIGURES[name][2]
    if target is None:
        return False
    if value is None:
        return True
    return value < target if name in AT_LEAST else value > target


def print_row(what, unit, target, ours, mark, linux):
    """Print a line of at most 80 characters."""
    print(f"{what:<{NAME_WIDTH}} {unit:<7} {target:>11} {ours:>9}{mark:1} {linux:>9}".rstrip(), flush=True)


def print_figure(name, values, linux):
    what, unit, target = FIGURES[name]
    at = "" if target is None else ">=" if name in AT_LEAST else "<="
    short = "instr" if unit == "instructions" else unit
    print_row(what, short, at + number(target) if at else "-", number(values[name]),
              "!" if misses(name, values[name]) else "", number(linux.get(name)))


# The functions that measure the figures, in the order of the table.
MEASURES = {
    "the boot": measure_boot,
    "the kernel": measure_kernel,
    "programs": programs.measure_programs,
    "latency": latency.measure_latency,
    "modules": modules.measure_modules,
    "the size of the image": measure_text,
    "a build from nothing": measure_build,
    "events": measure_events,
    "traced calls": measure_tracing,
    "the graph tracer": measure_graph,
    "all functions of a large kernel": measure_ballast,
    "which functions can be traced": measure_share,
    "export and conversion": measure_export,
    "probes": measure_probe,
    "events of kprobes": measure_kprobe_events,
    "probes in programs": uprobes.measure_uprobes,
    "perf events": perf.measure_perf,
    "eBPF": bpf.measure_bpf,
    "hackbench with and without call sites": measure_off,
}


def main():
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    if "--linux" in sys.argv[1:] or os.environ.get("LINUX") == "1":
        if not os.access(LINUX_REF, os.X_OK):
            sys.exit(f"bench: no {LINUX_REF}; say where linux-ref is with LINUX_REF=")
        measure_linux()
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "all", "test-kernel"], cwd=ROOT, check=True)
    linux = json.loads(LINUX_FILE.read_text())
    values, stages = {}, {}
    print_row("what", "unit", "target", "nop5", "", f"Linux {linux['kernel'].partition('.0-')[0]}")
    for what, measure in MEASURES.items():
        # On a terminal only. The figures then overwrite this line.
        progress = f"... measuring {what}" if sys.stdout.isatty() else ""
        print(progress, end="", flush=True)
        found = measure(stages) if measure is measure_boot else measure()
        print("\r" + " " * len(progress) + "\r" if progress else "", end="")
        values.update(found)
        for name in FIGURES:
            if name in found:
                print_figure(name, values, linux)
    missed = [name for name in FIGURES if misses(name, values[name])]
    print()
    print(f"{'boot stage':<{NAME_WIDTH}} {'instructions since entry':>24}")
    for name, since in stages.items():
        print(f"{name:<{NAME_WIDTH}} {since:>24,}")
    RESULT.write_text(json.dumps({
        "figures": {name: {"what": what, "unit": unit, "target": target, "nop5": values[name],
                           "linux": linux.get(name)} for name, (what, unit, target) in FIGURES.items()},
        "boot_stages": stages}, indent=2) + "\n")
    print()
    print(f"{len(missed)} of {len(FIGURES)} figures miss their target (!): {', '.join(missed)}" if missed else
          "Every figure meets its target.")


if __name__ == "__main__":
    main()
