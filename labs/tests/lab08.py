"""The tests of lab 8: the tracer slow of modules/sample-slow.c, in a running kernel."""
import re
import struct

from lab_test import expect, quoted

TRACING = "/sys/kernel/tracing"
SLEEP = "__x64_sys_clock_nanosleep"
INNER = "do_nanosleep"  # called by it
LINE = re.compile(r"^ *(\d+) +(\d+) +(\d+)  (\w+)$", re.M)


def load(function, min_us):
    return f"cd {TRACING}; modprobe sample-slow function={function} min_us={min_us}"


def durations(text):
    """The microseconds of each line of the tracer. Read the trace in the line that switches the tracer on: the shell sleeps, too, before it asks for another."""
    return [int(line[3]) for line in LINE.finditer(text)]


def entries(text):
    """The sum of the lines `entries: N` of per_cpu/*/stats."""
    return sum(int(number) for number in re.findall(r"^entries: (\d+)$", text, re.M))


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_on(lab):
    _, before, on, off, gone, again = lab.boot(load(SLEEP, 1000), "cat enabled_functions", "echo slow > current_tracer; cat enabled_functions",
                                               "echo nop > current_tracer; cat enabled_functions", "rmmod sample-slow",
                                               f"{load(SLEEP, 1000)}; echo slow > current_tracer; cat enabled_functions")
    expect(SLEEP not in before.text, "no traced function before the tracer is on", before.text)
    for answer in (on, again):
        expect([line.split()[0] for line in answer.lines] == [SLEEP], f"{SLEEP}, and no other function, in enabled_functions", answer.text)
    expect(off.text == "", "no traced function after `echo nop > current_tracer`", off.text)
    expect(gone.status == 0, "the module to be removed", gone.text)


def test_refused(lab):
    _, refused, current, traced, gone = lab.boot(load("no_such_function", 1000), "echo slow > current_tracer", "cat current_tracer",
                                                 "cat enabled_functions", "rmmod sample-slow")
    expect(refused.status != 0 and "Invalid argument" in refused.text, "`Invalid argument` for a tracer of a function that does not exist",
           refused.text or "success")
    expect(current.text == "nop\n" and not traced.text and not gone.status, "nothing to be left behind", current.text + traced.text + gone.text)


def test_slow(lab):
    long = lab.random.randrange(100, 200)
    limit = "echo > trace; echo {} > /sys/module/sample_slow/parameters/min_us; usleep {}000; cat trace; grep -h entries per_cpu/cpu*/stats"
    _, trace, short, less = lab.boot(load(SLEEP, 60000), f"echo slow > current_tracer; usleep {long}000; cat trace",
                                     limit.format(4000000, 3900), limit.format(4300000, 4200), icount=True)
    times = durations(trace.text)
    expect(len(times) == 1, f"one line for a sleep of {long} ms, with min_us=60000", trace.text)
    expect(long * 1000 <= times[0] < long * 1000 + 5000, f"a time of about {long}000 us", times[0])
    expect(not durations(short.text), "no line for 3.9 s, with min_us=4000000", short.text)
    expect(not entries(short.text), "nothing in the buffer for calls shorter than min_us, so that they overwrite no others", short.text)
    expect(not durations(less.text), "no line for 4.2 s, with min_us=4300000 (in nanoseconds more than 32 bits)", less.text)


def test_tasks(lab):
    naps = [lab.random.randrange(100, 120), 80, *sorted(lab.random.sample(range(10, 20), 2), reverse=True)]
    sleepers = "usleep {}0000 & usleep {}0000; usleep {}0000 & usleep {}0000 &".format(*naps)
    _, trace = lab.boot(load(SLEEP, 60000), f"echo slow > current_tracer; taskset -c 1 sh -c '{sleepers} wait'; cat trace", icount=True)
    lines = [(int(line[1]), int(line[3])) for line in LINE.finditer(trace.text)]
    times = sorted((time for _, time in lines), reverse=True)
    expect(len(times) == len(naps), f"{len(naps)} lines for {len(naps)} tasks that sleep at the same time", trace.text)
    expect(len({pid for pid, _ in lines}) == len(naps), "a line for each task", trace.text)
    for nap, time in zip(naps, times):
        expect(10000 * nap <= time < 10000 * nap + 10000, f"about {10000 * nap} us for a task that sleeps so long, while others sleep, too", time)


def test_context(lab):
    # The sub-buffers have old bytes, which show what is not written. Text comes behind the entry in any case, so that dd does not wait.
    _, raw = lab.boot(load(INNER, 60000), "echo 16 > buffer_size_kb; seq 100000 | taskset -c 1 dd bs=900 count=60 of=trace_marker 2> /dev/null; "
                      f"echo > trace; mkdir instances/outer; echo {SLEEP} > instances/outer/set_ftrace_filter; "
                      "echo function_graph > instances/outer/current_tracer; "
                      "echo slow > current_tracer; taskset -c 1 sh -c 'usleep 90000; echo hello > trace_marker'; "
                      "dd bs=4096 count=1 if=per_cpu/cpu1/trace_pipe_raw 2> /dev/null | hexdump -C | head -n 4")
    page = bytes.fromhex("".join(line[10:58] for line in raw.lines)).ljust(64, b"\0")
    kind, _, preempt_count, _, _, depth, overrun, *_ = struct.unpack_from("<HBBiQiIQQ", page, 20)  # behind the heads of the page and of the event
    expect(kind == 10, "an entry of the type 10 in per_cpu/cpu1/trace_pipe_raw", f"type {kind}")
    expect(preempt_count == 0, f"common_preempt_count 0 in an entry, because preemption is on in the caller of {INNER}", preempt_count)
    expect((depth, overrun) == (1, 0), f"depth 1 and overrun 0 in an entry of {INNER}, whose caller {SLEEP} is traced in an instance",
           f"depth {depth}, overrun {overrun}")


def test_lines(lab):
    _, _, trace, pipe = lab.boot(load(SLEEP, 60000), "echo slow > current_tracer; taskset -c 1 usleep 90000; echo hello > trace_marker",
                                 "cat trace", "head -n 1 trace_pipe", cpus=2)
    for answer in (trace, pipe):
        line = next((line for line in answer.lines if line.endswith(SLEEP)), "nothing")
        expect(re.fullmatch(rf" *\d+ {{4}}1 +\d{{5,}}  {SLEEP}", line) and len(line) == 26 + len(SLEEP),
               f"a line of PID (8 columns), CPU 1 (a space and 4), US (a space and 10), two spaces and {SLEEP}", quoted([line]))
    expect("tracing_mark_write: hello\n" in trace.text, "the text of trace_marker in the trace, as with other tracers", trace.text)


def test_off(lab):
    _, off, on = lab.boot(load(SLEEP, 60000), "echo slow > current_tracer; echo 0 > tracing_on; usleep 90000; cat trace",
                          "echo 1 > tracing_on; usleep 90000; cat trace")
    expect(not durations(off.text), "no line while tracing_on is 0", off.text)
    expect(len(durations(on.text)) == 1, "a line as soon as tracing_on is 1 again", on.text)
