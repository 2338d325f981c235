"""The tests of lab 5: frames on the shadow stack, return_to_handler, and the unwinder."""
import re

from lab_test import expect

TRACING = "/sys/kernel/tracing"
RULES = {
    "users": "each user to see one entry and one return of each call that it wants",
    "values": "return_to_handler to call ftrace_return_to_handler as step 2 says, and the caller to get its registers back",
    "switch": "return_to_handler to call preempt_schedule() when a task switch is wanted, and the caller to get the result",
    "skip": "a call that is not wanted to leave the shadow stack as it was, also with an interrupt at each instruction",
    "left": "a return to remove the frames of functions inside that did not return",
    "interrupts": "a traced call to be as if an interrupt had not come, at each instruction of steps 1 to 3",
    "unwind": "an unwinder to find the true return addresses at each instruction of steps 1 to 3, and find_frame() to do what step 4 says",
}


def on_the_host(lab, mode):
    """The compiler's options are those of the kernel. The sanitizers would need the red zone."""
    options = "-O2 -fno-strict-aliasing -mno-red-zone -mgeneral-regs-only -fno-stack-protector -fcf-protection=none -fno-pie -no-pie -Wl,-z,noexecstack"
    program = lab.host_program("lab05_frames.c", sanitize=False, options=options.split())
    result = lab.run("timeout", str(lab.timeout), program, mode)
    expect(result.returncode == 0, RULES[mode], result.stdout or f"no end within {lab.timeout} s: a loop that never ends, or a crash")


def test_boots(lab):
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_returns(lab):
    on_the_host(lab, "users")
    lab.selftest("fgraph.each_call_has_one_entry_and_one_return_with_its_value")


def test_results(lab):
    on_the_host(lab, "values")
    on_the_host(lab, "switch")
    lab.selftest("fgraph.a_value_in_two_registers_comes_through")


def test_skipped(lab):
    on_the_host(lab, "skip")
    lab.selftest("fgraph.a_call_that_its_user_skips_does_not_return_to_it")
    answers = lab.boot(f"cd {TRACING}", "echo vfs_open > set_ftrace_filter", "echo do_mkdirat > set_graph_function",
                       "echo function_graph > current_tracer", "echo > /a", *2 * ["cat" + 250 * " /a" + " > /b"], "cat /sys/kernel/debug/fgraph")
    expect("overrun: 0\n" in answers[-1].text, "`overrun: 0` in debug/fgraph after hundreds of calls that are not wanted", answers[-1].text)


def test_nested(lab):
    on_the_host(lab, "left")
    lab.selftest("fgraph.recursion_two_hundred_deep_is_traced_and_returns")
    # Functions that may fail: a kernel that loses their results goes on.
    files = [lab.random.randrange(200, 250) for _ in range(6)]
    answers = lab.boot(f"cd {TRACING}", "echo vfs_open > set_ftrace_filter", "echo function_graph > current_tracer", "echo > /a",
                       *("cat" + count * " /a" + " > /b" for count in files), "echo 0 > tracing_on", "cat trace")
    calls, seen = sum(files), answers[-1].text.count("vfs_open();")
    expect(seen >= calls, f"{calls} calls of vfs_open() by one task in the trace", f"{seen}")
    lab.selftest("fgraph.a_return_finds_the_data_of_the_calls_that_enclose_it")
    lab.selftest("fgraph.calls_in_an_nmi_in_an_interrupt_in_a_call_all_return", cpus=4)


def test_interrupts(lab):
    on_the_host(lab, "interrupts")


def test_tree(lab):
    # One task on one CPU: the lines of another task would come in between.
    commands = (f"cd {TRACING}", "echo do_filp_open vfs_open single_open > set_ftrace_filter", "echo do_filp_open > set_graph_function",
                "echo 0 > tracing_on", "echo function_graph > current_tracer", "echo $$ > set_ftrace_pid",
                "echo 1 > tracing_on; cat /proc/uptime; echo 0 > tracing_on", "cat trace")
    text = lab.boot(*commands, cpus=1)[-1].text
    lines = [line.split("|", 1)[1] for line in text.splitlines() if "|" in line and not line.startswith("#")]
    tree = [re.sub(r"\s+$", "", line) for line in lines]
    seen = "\n".join(f"|{line}" for line in tree[:6])
    expect(any(re.match(r"  do_filp_open\(\) \{", line) for line in tree), "`|  do_filp_open() {` with two blanks: nothing encloses it", seen or "nothing")
    at = next((n for n, line in enumerate(tree) if re.match(r"    vfs_open\(\) \{", line)), None)
    expect(at is not None, "`|    vfs_open() {` inside of do_filp_open()", seen)
    expect(re.match(r"      single_open\(\);", tree[at + 1]), "`single_open();` inside of vfs_open()", tree[at + 1])
    expect(tree[at + 2:at + 4] == ["    }", "  }"], "both functions to return, the inner one first", " and ".join(tree[at + 2:at + 4]))
    durations = [float(us) for us in re.findall(r"([\d.]+) us", text)]
    expect(len(durations) >= 3, "a duration for each call", f"{len(durations)}")


def test_backtrace(lab):
    on_the_host(lab, "unwind")
    lab.selftest("fgraph.a_backtrace_shows_the_true_callers")
    lab.selftest("fgraph.a_backtrace_over_a_damaged_shadow_stack_ends")
    lab.selftest("fgraph.the_stack_of_a_task_that_sleeps_shows_its_true_callers")


def test_tasks(lab):
    lab.selftest("fgraph.each_call_has_one_entry_and_one_return_with_its_value")  # without a single frame, tasks keep their results as well
    lab.selftest("fgraph.tasks_on_all_cpus_keep_their_results_while_everything_is_toggled", cpus=4)
