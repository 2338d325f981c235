"""The tests of lab 4: the entry code, the list of ops, the guard, and what a site calls."""
from lab_test import expect

TRACING = "/sys/kernel/tracing"


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_called(lab):
    lab.selftest("ftrace.each_call_of_the_traced_function_counts_once")
    count = lab.random.randrange(20, 60)
    answers = lab.boot(f"cd {TRACING}", "echo vfs_open > set_ftrace_filter", "echo function > current_tracer",
                       f"for i in $(seq {count}); do : < /proc/uptime; done", "echo 0 > tracing_on", "grep -c 'vfs_open <-' trace")
    seen = int(answers[-1].text or 0)
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
    answers = lab.boot(f"cd {TRACING}; mkdir instances/a instances/b instances/c", "echo vfs_write > instances/c/set_ftrace_filter", "echo vfs_read > instances/a/set_ftrace_filter",
                       "echo vfs_read vfs_write > instances/b/set_ftrace_filter",
                       "for i in a b c; do echo function > instances/$i/current_tracer; done", "head -n 1 /proc/uptime > /dev/null",
                       "for i in a b c; do echo 0 > instances/$i/tracing_on; done", "grep -c 'vfs_read <-' instances/a/trace",
                       "grep -c 'vfs_write <-' instances/a/trace", "grep -c 'vfs_read <-' instances/b/trace",
                       "grep -c 'vfs_write <-' instances/b/trace", "grep -c 'vfs_read <-' instances/c/trace")
    read_a, write_a, read_b, write_b, read_c = (int(answer.text or 0) for answer in answers[7:])
    expect(read_a and read_b, "vfs_read in the traces of both instances", f"{read_a} and {read_b} calls")
    expect(not read_c, "no vfs_read in the trace of instance c, which asks for vfs_write", f"{read_c} calls")
    expect(write_b and not write_a, "vfs_write only in the trace of instance b", f"{write_a} calls in a and {write_b} in b")


def test_recursion(lab):
    lab.selftest("ftrace_ops.ops_with_the_recursion_flag_are_guarded_against_recursion")


def test_cheapest(lab):
    lab.selftest("ftrace_ops.a_site_calls_the_cheapest_possible_target")
    lab.selftest("ftrace_ops.a_direct_ops_makes_the_site_jump")
