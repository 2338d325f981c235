"""Tracing from the command line, and the trace on the console: after an oops, by sysrq z."""
import re

TRACING = "/sys/kernel/tracing"
PROVOKE = "/sys/kernel/debug/provoke-crash/DIRECT"


def test_the_command_line_starts_a_tracer_before_the_shell(boot):
    nop5 = boot(cpus=2, append="ftrace=function ftrace_filter=vfs_*,kern_mount_at ftrace_notrace=vfs_write "
                               "trace_buf_size=300k trace_clock=global trace_options=sym-offset,nooverwrite")
    nop5.check(f"cd {TRACING}")
    assert nop5.check("cat current_tracer") == "function\n"
    assert "[global]" in nop5.check("cat trace_clock")
    assert nop5.check("cat buffer_size_kb") == "300\n"
    assert nop5.check("cat options/sym-offset options/overwrite") == "1\n0\n"
    assert nop5.check("cat set_ftrace_notrace") == "vfs_write\n"
    trace = nop5.check("cat trace")
    assert re.search(r" init-1 .*: kern_mount_at\+0x0/0x[0-9a-f]+", trace)
    assert "vfs_write+" not in trace


def test_unknown_names_on_the_command_line_are_told_and_harmless(boot):
    nop5 = boot(cpus=1, append="ftrace=bogus trace_clock=bogus trace_options=bogus")
    assert "trace_clock=bogus: no such clock" in nop5.text
    assert "trace_options=bogus: no such option" in nop5.text
    assert nop5.check(f"cat {TRACING}/current_tracer") == "nop\n"


def test_ftrace_dump_on_oops_prints_the_trace_once(boot):
    nop5 = boot(cpus=2, append="ftrace_dump_on_oops panic=0")
    nop5.check(f"echo before the oops > {TRACING}/trace_marker")
    nop5.run(f"echo BUG > {PROVOKE}")
    assert re.search(r"Dumping ftrace buffer:\r?\n.*-{33}\r?\n.* tracing_mark_write: before the oops\r?\n.*-{33}\r?\n",
                     nop5.text)
    assert nop5.check(f"cat {TRACING}/tracing_on") == "0\n"
    nop5.run(f"echo BUG > {PROVOKE}")
    assert nop5.text.count("Dumping ftrace buffer:") == 1


def test_sysrq_z_prints_the_trace(nop5):
    nop5.check(f"echo > {TRACING}/trace; echo look at this > {TRACING}/trace_marker")
    nop5.run("echo z > /proc/sysrq-trigger")
    assert re.search(r" +0?[\d.dNhs]+ +\d+us.: tracing_mark_write: look at this\r?\n", nop5.text)
    nop5.check(f"echo 1 > {TRACING}/tracing_on; echo > {TRACING}/trace")
    nop5.run("echo z > /proc/sysrq-trigger")
    assert "(ftrace buffer empty)" in nop5.text
    nop5.check(f"echo 1 > {TRACING}/tracing_on")


def test_two_readers_of_trace_pipe_do_not_both_get_an_event(nop5):
    nop5.check(f"cd {TRACING}; echo > trace; cat trace_pipe > /tmp/one &")
    nop5.check("cat trace_pipe > /tmp/two &")
    nop5.check("; ".join(f"echo event {i} > trace_marker" for i in range(20)))
    nop5.check("sleep 1")
    seen = re.findall(r"event (\d+)$", nop5.check("cat /tmp/one /tmp/two"), re.M)
    assert sorted(map(int, seen)) == list(range(20))
    assert "entries-in-buffer/entries-written: 0/0" in nop5.check("head -n 3 trace")
    for line in nop5.check("ps").splitlines():
        if re.search(r"\bcat\b", line):
            nop5.run(f"kill {re.search(r'[0-9]+', line).group()}")
