"""The tests of lab 4: the entry code, the list of ops, the guard, and what a site calls."""
from lab_test import expect, quoted

TRACING = "/sys/kernel/tracing"


def test_boots(lab):
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_called(lab):
    lab.selftest("ftrace.each_call_of_the_traced_function_counts_once")
    count = lab.random.randrange(20, 60)
    answers = lab.boot(f"cd {TRACING}", "echo vfs_open > set_ftrace_filter", "echo function > current_tracer",
                       "cat" + count * " /proc/uptime", "echo 0 > tracing_on", "cat trace")
    seen = answers[-1].text.count("vfs_open <-")
    expect(seen >= count, f"at least {count} calls of vfs_open in the trace", seen)


def test_transparent(lab):
    lab.selftest("ftrace_regs.arguments_reach_the_callback_and_nothing_is_changed")
    lab.selftest("ftrace.every_function_traced_on_and_off_keeps_the_system_running", cpus=4)


def test_callers(lab):
    lab.selftest("trace_options.func_stack_trace_adds_the_callers")


def test_registers(lab):
    lab.selftest("ftrace_regs.every_register_reaches_the_callback_and_can_be_changed")
    lab.selftest("ftrace_ops.changed_registers_take_effect")
    lab.selftest("ftrace_regs.a_changed_ip_in_the_registers_chooses_where_execution_continues")


def test_list(lab):
    lab.selftest("ftrace.two_ops_on_overlapping_sets_each_get_their_own")
    lab.selftest("ftrace_ops.a_filter_changes_while_its_ops_is_registered")
    lab.selftest("ftrace_ops.a_stub_is_registered_but_never_called")
    # These functions may fail: a kernel that skips them or returns nonsense goes on.
    asked = {"a": "do_mkdirat", "b": "do_mkdirat do_rmdirat", "c": "do_rmdirat"}
    answers = lab.boot(f"cd {TRACING}; mkdir instances/a instances/b instances/c",
                       *(f"echo {asked[i]} > instances/{i}/set_ftrace_filter" for i in "cab"),
                       *(f"echo function > instances/{i}/current_tracer" for i in "abc"), "mkdir /made; ls /; rmdir /made",
                       *(f"echo 0 > instances/{i}/tracing_on" for i in "abc"), *(f"cat instances/{i}/trace" for i in "abc"))
    listed = answers[7]
    expect("made" in listed.lines, "`made` in / after mkdir /made: a traced function does its work", quoted(listed.lines))
    (made_a, removed_a), (made_b, removed_b), (made_c, removed_c) = (
        [answer.text.count(f" {name} <-") for name in ("do_mkdirat", "do_rmdirat")] for answer in answers[-3:])
    expect(made_a and made_b, "do_mkdirat in the traces of both instances that ask for it", f"{made_a} and {made_b} calls")
    expect(removed_c and not made_c, "do_rmdirat alone in the trace of instance c", f"{removed_c} calls, and {made_c} of do_mkdirat")
    expect(removed_b and not removed_a, "do_rmdirat in the trace of instance b, and not in that of a", f"{removed_b} and {removed_a} calls")


def test_recursion(lab):
    lab.selftest("ftrace_ops.ops_with_the_recursion_flag_are_guarded_against_recursion")


def test_cheapest(lab):
    lab.selftest("ftrace_ops.a_site_calls_the_cheapest_possible_target")
    lab.selftest("ftrace_ops.a_direct_ops_makes_the_site_jump")
