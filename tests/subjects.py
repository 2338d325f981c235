"""The subjects of the tests: what `make test T=SUBJECT` runs, and which folders `make check` runs them for.

    T=events            the tests of a subject
    T=docs/tracefs      those of them whose names contain "tracefs"
    T=test_pipe         without a subject of that name: all boot tests whose names contain it
"""
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent


@dataclass
class Subject:
    """Patterns of files below tests/, without their endings. folders: a change there concerns the subject."""
    folders: tuple
    boot: tuple = ()
    host: tuple = ()
    fuzz: tuple = ()


ALL = {
    "boot": Subject(("boot", "iso", "kernel", "kernel/boot", "kernel/acpi", "kernel/mm", "arch", "linker.ld", "features.mk"),
                    ("test_boot", "test_bochs", "test_cpu_models", "test_acpi", "test_initramfs"), ("test_acpi", "test_memblock", "test_page_alloc", "test_cpio"),
                    ("fuzz_acpi", "fuzz_multiboot2", "fuzz_pvh", "fuzz_cpio", "fuzz_inflate")),
    "core": Subject(("kernel/monitor", "features.mk", "scripts/features"), ("test_core",)),
    "memory": Subject(("kernel/mm",), (), ("test_page_alloc", "test_slab*", "test_memblock")),
    "lib": Subject(("kernel/lib", "kernel/printk"), (), ("test_string", "test_vsprintf", "test_rbtree", "test_printk_ringbuffer",
                                                        "test_text", "test_inflate", "test_deflate"), ("fuzz_text",)),
    "console": Subject(("kernel/console", "kernel/printk"), ("test_console", "test_busybox*"), ("test_n_tty", "test_serial8250"),
                       ("fuzz_n_tty",)),
    "faults": Subject(("arch", "kernel/panic.c", "kernel/panic.h", "kernel/kallsyms.c"), ("test_faults", "test_wrmsr_fence")),
    "sched": Subject(("kernel/sched", "kernel/task", "kernel/irq", "kernel/time", "kernel/workqueue", "kernel/locking", "kernel/smp.c", "kernel/smp.h",
                      "kernel/smp_nmi.c", "kernel/watchdog.c", "kernel/watchdog.h", "kernel/preempt.h"), ("test_sched", "test_events_sched")),
    "rcu": Subject(("kernel/rcu",), ("test_rcu",)),
    "abi": Subject(("kernel/process", "kernel/ptrace", "kernel/seccomp", "kernel/signal", "kernel/vm", "kernel/syscalls", "kernel/futex", "kernel/posix_time", "kernel/random",
                    "fs", "net", "tests/abi", "tests/boot/kselftests.py", "tests/boot/strace_suite.py"), ("test_abi", "test_system_calls", "test_core_dumps", "test_debuggers", "test_kselftests", "test_ptrace", "test_strace_suite"), (), ("fuzz_seccomp",)),
    "load": Subject(("kernel/process", "kernel/task", "kernel/vm", "kernel/posix_time", "tests/load"), ("test_load", "test_hostile_user")),
    "files": Subject(("fs",), ("test_files", "test_shell", "test_initramfs"), ("test_vfs", "test_seq_file"), ("fuzz_cpio",)),
    "proc": Subject(("fs/proc",), ("test_proc*",)),
    "sysfs": Subject(("fs/sys", "arch/x86_64/cpu/topology.c", "arch/x86_64/cpu/topology.h"), ("test_sysfs",), ("test_topology",)),
    "net": Subject(("net",), ("test_net",)),
    "programs": Subject(("user",), ("test_busybox*", "test_debian*", "test_shell"), ("test_dis",)),
    "selftests": Subject(("selftest",), ("test_selftests",)),
    "pstore": Subject(("fs/pstore",), ("test_pstore",), ("test_pstore_zone",)),
    "modules": Subject(("kernel/module", "kernel/module_list.c", "kernel/module_ops.h", "kernel/kallsyms_module.c", "modules"), ("test_modules", "test_samples"), (), ("fuzz_module",)),
    "btf": Subject(("kernel/btf",), (), ("test_btf",), ("fuzz_btf",)),
    "ring_buffer": Subject(("trace/ring_buffer",), ("test_subbuf", "test_trace_pipe", "test_ring_buffer_map"), ("test_ring_buffer*",), ("fuzz_ring_buffer*",)),
    "ftrace": Subject(("trace/ftrace", "trace/ftrace_files", "arch/x86_64"),
                      ("test_ftrace*", "test_given_order", "test_call_sites", "test_soak"),
                      ("test_insn",), ("fuzz_filter", "fuzz_insn")),
    "graph": Subject(("trace/fgraph", "trace/tracers"), ("test_graph*", "test_fgraph*"), ("test_trace_graph",)),
    "trace": Subject(("trace/core",), ("test_tracefs", "test_instances", "test_snapshot", "test_trace_pipe", "test_trace_boot",
                                       "test_persistent_trace"), (), ("fuzz_trace_pid", "fuzz_last_boot")),
    "events": Subject(("trace/events", "trace/filter", "trace/trigger", "trace/synth", "kernel/tracepoint.c", "kernel/tracepoint.h"), ("test_event*", "test_synthetic*"), ("test_event_filter*", "test_print_fmt"),
                      ("fuzz_event_filter", "fuzz_print_fmt", "fuzz_synth")),
    "perf": Subject(("trace/perf", "selftest/perf", "tests/boot/perf_commands.py", "tests/abi/perf.h"), ("test_perf*",), ("test_perf_ring",), ("fuzz_build_id", "fuzz_perf_attr")),
    "bpf": Subject(("trace/bpf", "arch/x86_64/bpf", "user/bpf", "tests/abi/bpf.h", "tests/boot/bpftrace_suite.py"), ("test_bpf*", "test_libbpf*", "test_systemtap"), ("test_bpf*",), ("fuzz_bpf*",)),
    "hist": Subject(("trace/hist", "trace/synth", "trace/trigger"), ("test_hist*",), ("test_hist_expr", "test_tracing_map"), ("fuzz_hist*",)),
    "probes": Subject(("trace/kprobes", "trace/uprobes", "trace/probes", "trace/probe_events"),
                      ("test_kprobe*", "test_uprobes", "test_probes", "test_eprobes", "test_fprobe_events", "test_watchpoints", "test_inject"), (), ("fuzz_probe",)),
    "inject": Subject(("trace/inject", "trace/kmemleak"), ("test_error_injection",)),
    "user_events": Subject(("trace/user_events", "kernel/vm/writable_page.c"), ("test_user_events",)),
    "rv": Subject(("trace/rv", "scripts/rvgen"), ("test_rv",)),
    "latency": Subject(("trace/tracers/latency", "trace/tracers/noise", "kernel/preemptirq.c", "kernel/preemptirq.h",
                        "kernel/preemptirq_events.h"), ("test_latency",)),
    "tracers": Subject(("trace/tracers",), ("test_profile", "test_stack_tracer", "test_latency")),
    "livepatch": Subject(("trace/livepatch",), ("test_livepatch",)),
    "static_branches": Subject(("kernel/jump_label.c", "kernel/jump_label.h"), ("test_static_branches",)),
    "scripts": Subject(("scripts", "Makefile", "features.mk", "linker.ld"), ("test_scripts", "test_run", "test_gdb", "test_unused")),
    "export": Subject(("scripts/trace", "user/trace-export"), ("test_export*", "test_convert", "test_trace_page", "test_trace_re*", "test_pictures"),
                      ("test_export_link",), ("fuzz_export_link", "fuzz_trace_dat")),
    "docs": Subject(("docs", "README.md"), ("test_docs",)),
    "book": Subject(("docs", "scripts/book"), ("test_book", "test_pictures")),
    "web": Subject(("web", "docs", "scripts/trace/page"), ("test_web", "test_traces")),
    "labs": Subject(("labs", "docs/labs", "scripts/lab", "scripts/diagnose"), ("test_labs", "test_slides", "test_diagnose")),
}


def matching(folder, patterns):
    """The names of the files of tests/FOLDER that match one of the patterns."""
    return sorted({path.stem for pattern in patterns for path in (TESTS / folder).glob(pattern + ".[cp]*")})


def choose(what):
    """What T=WHAT selects: (boot test files, part of their tests' names, host programs, fuzzers)."""
    name, _, part = what.partition("/")
    if name not in ALL:
        return matching("boot", ("test_*",)), what, [], []
    subject = ALL[name]
    if part:
        return matching("boot", subject.boot), part, [], []
    return (matching("boot", subject.boot), "", matching("host", subject.host), matching("fuzz", subject.fuzz))


def concerned(paths):
    """The subjects that a change of these files concerns: of each file those with the longest folder that holds it."""
    found = set()
    for path in paths:
        best, names = 0, set()
        for name, subject in ALL.items():
            for folder in subject.folders:
                if path == folder or path.startswith(folder + "/"):
                    if len(folder) > best:
                        best, names = len(folder), set()
                    if len(folder) == best:
                        names.add(name)
            for kind in ("boot", "host", "fuzz"):
                if Path(path).parts[:2] == ("tests", kind) and Path(path).stem in matching(kind, getattr(subject, kind)):
                    names.add(name)
        found |= names
    return sorted(found)
