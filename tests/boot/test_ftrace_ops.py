"""The sites and their users: enabled_functions, names of trampolines, filters by task."""
import re

TRACING = "/sys/kernel/tracing"
STACK_TRACER = "/proc/sys/kernel/stack_tracer_enabled"
SYMBOL = r"\+0x0/0x[0-9a-f]+"


def enabled(machine, function):
    lines = machine.check(f"cat {TRACING}/enabled_functions").splitlines(keepends=True)
    return next((line for line in lines if line.startswith(function + " ")), None)


def verify(machine):
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


def trace_reads(machine):
    machine.check(f"cd {TRACING}")
    machine.check("echo vfs_read > set_ftrace_filter")
    machine.check("echo function > current_tracer")


def test_enabled_functions_shows_the_callbacks_with_one_user_and_with_two(boot):
    nop5 = boot(cpus=2)  # a machine of its own: the stack tracer changes the flags of sites
    trace_reads(nop5)
    try:
        one = enabled(nop5, "vfs_read")
        assert re.fullmatch(r"vfs_read \(1\)      \ttramp: 0x(ffffffffa[0-9a-f]{7}) \(function_trace_call" +
                            SYMBOL + r"\) ->function_trace_call" + SYMBOL + r"\n", one), repr(one)
        verify(nop5)
        nop5.check("echo vfs_read > stack_trace_filter")
        nop5.check(f"echo 1 > {STACK_TRACER}")
        two = enabled(nop5, "vfs_read")
        assert re.fullmatch(r"vfs_read \(2\)       ->ftrace_ops_list_func" + SYMBOL + r"\n", two), repr(two)
        assert "<ftrace_caller>" in nop5.check("dis vfs_read")
        verify(nop5)
        nop5.check("echo nop > current_tracer")
        assert "(stack_trace_call" in enabled(nop5, "vfs_read")
        verify(nop5)
        nop5.check(f"echo 0 > {STACK_TRACER}")
        assert nop5.check("cat touched_functions") == "vfs_read (0)      \n" and nop5.check("cat enabled_functions") == ""
        verify(nop5)
    finally:
        nop5.check(f"echo 0 > {STACK_TRACER}")
        nop5.check("echo nop > current_tracer; echo > set_ftrace_filter; echo > stack_trace_filter")
    assert enabled(nop5, "vfs_read") is None
    verify(nop5)


def test_callbacks_of_probes_and_options_have_the_names_of_linux(nop5):
    def callback():
        return re.search(r" \((\w+)\+0x0/0x[0-9a-f]+\) ->(\w+)\+", enabled(nop5, "vfs_read")).groups()

    nop5.check(f"cd {TRACING}; echo 'vfs_read:traceoff:0' > set_ftrace_filter")
    try:
        assert callback() == ("function_trace_probe_call",) * 2
        nop5.check("echo '!vfs_read:traceoff:0' > set_ftrace_filter; echo vfs_read > set_ftrace_filter")
        nop5.check("echo function > current_tracer; echo func_stack_trace > trace_options")
        assert callback() == ("function_stack_trace_call",) * 2
        nop5.check("echo func-no-repeats > trace_options")
        assert callback() == ("function_options_call",) * 2
    finally:
        nop5.check("echo nofunc_stack_trace > trace_options; echo nofunc-no-repeats > trace_options")
        nop5.check("echo nop > current_tracer; echo > set_ftrace_filter")


def test_a_trampoline_has_a_name_while_it_exists(nop5):
    def names():
        return re.findall(r"^([0-9a-f]{16}) t ftrace_trampoline\t\[__builtin__ftrace\]$",
                          nop5.run("grep ftrace_trampoline /proc/kallsyms").output, re.M)

    assert names() == []
    trace_reads(nop5)
    try:
        address, = names()
        assert address in enabled(nop5, "vfs_read")
        assert f"call {address} <ftrace_trampoline [__builtin__ftrace]>" in nop5.check("dis vfs_read")
    finally:
        nop5.check("echo nop > current_tracer; echo > set_ftrace_filter")
    assert names() == []


def test_a_trampoline_checks_the_task_only_while_a_pid_filter_is_set(nop5):
    def called():
        return re.search(r"->(\w+)\+", enabled(nop5, "vfs_read")).group(1)

    trace_reads(nop5)
    try:
        assert called() == "function_trace_call"
        nop5.check("echo 1 > set_ftrace_pid")
        assert called() == "function_pid_func"
        verify(nop5)
        nop5.check("echo > trace; cat /proc/uptime")
        assert "vfs_read" not in nop5.check("grep -v '^#' trace | cat")
        nop5.check("echo > set_ftrace_pid")
        assert called() == "function_trace_call"
        nop5.check("cat /proc/uptime")
        assert "vfs_read" in nop5.check("cat trace")
    finally:
        nop5.check("echo > set_ftrace_pid; echo nop > current_tracer; echo > set_ftrace_filter")


def test_pages_of_trampolines_are_never_writable_and_executable(nop5):
    def text_area():
        tables = nop5.check("cat /sys/kernel/debug/page_tables")
        assert tables.endswith("W+X pages: 0\n")
        return re.findall(r"^0xffffffffa[0-9a-f]+-0x[0-9a-f]+ +\d+K +(\w\w) .*?(x|NX) *pte$", tables, re.M)

    trace_reads(nop5)
    try:
        assert text_area() and set(text_area()) == {("ro", "x")}
    finally:
        nop5.check("echo nop > current_tracer; echo > set_ftrace_filter")
    assert set(text_area()) <= {("ro", "x")}
