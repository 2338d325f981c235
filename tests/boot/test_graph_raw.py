"""Call trees in trace_pipe_raw are well-formed, under any load."""
import re
import struct

import pytest

from test_call_sites import elf_of
from test_ftrace import TRACING

ENTRY, EXIT = 11, 10
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
ENTRIES = {"do_interrupt", "do_nmi"}
MISSED = 1 << 31


def events(data):
    """Yields (time, payload) of the events in one CPU's sub-buffers. No event may be lost between them."""
    assert len(data) % 4096 == 0
    for number, page in enumerate(range(0, len(data), 4096)):
        stamp, commit = struct.unpack_from("<QQ", data, page)
        assert not (commit & MISSED and number), "events were lost between two pages"
        place, end = page + 16, page + 16 + (commit & 0xfffff)
        while place < end:
            word, = struct.unpack_from("<I", data, place)
            kind, delta = word & 31, word >> 5
            second, = struct.unpack_from("<I", data, place + 4)
            if kind == TIME_EXTEND:
                stamp += delta + (second << 27)
                place += 8
            elif kind == PADDING:
                stamp += delta
                place += 4 + second if delta else end - place
            else:
                assert kind != TIME_STAMP
                stamp += delta
                start, length = (place + 4, 4 * kind) if kind else (place + 8, second - 4)
                yield stamp, data[start:start + length]
                place = start + (length + 3) // 4 * 4


def calls(per_cpu):
    """The calls and returns of all CPUs in the order of time: (time, cpu, pid, type, func, depth, calltime, rettime)."""
    found = []
    for cpu, data in enumerate(per_cpu):
        for stamp, payload in events(data):
            kind, _, _, pid = struct.unpack_from("<HBBi", payload)
            if kind == ENTRY:
                assert len(payload) == 20
                found.append((stamp, cpu, pid, kind, *struct.unpack_from("<Qi", payload, 8), 0, 0))
            elif kind == EXIT:
                assert len(payload) == 40
                func, depth, overrun, begin, end = struct.unpack_from("<QiIQQ", payload, 8)
                assert overrun == 0 and begin <= end <= stamp
                found.append((stamp, cpu, pid, kind, func, depth, begin, end))
    return sorted(found, key=lambda call: call[0])  # stable: keeps the order of each CPU's events


def check_trees(per_cpu, names, sleep_time=True):
    """
    Checks that each task's returns match its calls. Returns the number of matches. Without sleep time the beginning of a
    call moves by the time that its task was switched out, so it is not compared with the call's children.

    The CPUs' buffers begin at different times. All events after the latest beginning are present. Calls that began
    earlier may have returns without a call, outside of all open calls.
    """
    begins = [next(events(data))[0] for data in per_cpu if data]
    complete, tasks, matched = max(begins), {}, 0
    for stamp, cpu, pid, kind, func, depth, begin, end in calls(per_cpu):
        if stamp < complete:
            continue
        # Every CPU has an idle task, and all idle tasks have PID 0.
        stack = tasks.setdefault((pid, cpu if pid == 0 else None), [])
        name = names(func)
        if kind == ENTRY:
            # An interrupt may come while a call has a frame but no entry in the trace. Then its depth is larger.
            deeper = (1, 2, 3) if name in ENTRIES else (1,)
            if stack:
                assert depth - stack[-1][1] in deeper, f"{name} at {depth} in {names(stack[-1][0])} at {stack[-1][1]}"
            stack.append([func, depth, stamp, []])
            continue
        # A function that never returns (do_exit) ends its task, and its callers stay open. Otherwise the innermost call
        # returns.
        if not stack:
            continue
        top = stack[-1]
        if depth < top[1]:
            assert depth < stack[0][1], f"{name} at {depth} returned before {names(top[0])} at {top[1]}"
            del stack[:]
            continue
        assert (func, depth) == (top[0], top[1]), f"{name} at {depth} is not {names(top[0])} at {top[1]}"
        assert top[2] <= begin, f"{name} was called before its entry"
        for child_begin, child_end, child in top[3]:
            within = begin <= child_begin and child_end <= end
            # An interrupt may come before the tracer reads the time of the call, or after it reads the time of the return.
            beside = child in ENTRIES and (child_end <= begin or end <= child_begin)
            assert not sleep_time or within or beside, \
                f"{name} {begin}-{end} does not enclose {child} {child_begin}-{child_end}"
        stack.pop()
        if stack:
            stack[-1][3].append((begin, end, name))
        matched += 1
    return matched


def symbols(build):
    """The names of functions by address: of the image, because /proc/kallsyms is long for a serial line."""
    table = {function.value: function.name for function in elf_of(build, "nop5.elf").functions()}
    return lambda address: table.get(address, hex(address))


def snapshot(machine, cpus):
    machine.check("echo 0 > tracing_on")
    return [machine.fetch_bytes(f"cat per_cpu/cpu{cpu}/trace_pipe_raw") for cpu in range(cpus)]


@pytest.mark.parametrize("options", ["", "funcgraph-irqs", "sleep-time"])
def test_every_return_belongs_to_the_call_that_stands_before_it(boot, images, options):
    machine = boot(cpus=4, mem="512M")
    names = symbols(images)
    machine.check(f"cd {TRACING}; echo 64 > buffer_size_kb; echo 0 > tracing_on; echo function_graph > current_tracer")
    if options:
        machine.check(f"echo no{options} > trace_options")
    machine.check("echo > trace; echo 1 > tracing_on; hackbench -g 1 -l 10")
    data = snapshot(machine, 4)
    assert all(len(d) >= 4096 for d in data)
    assert check_trees(data, names, options != "sleep-time") > 500
    machine.check("echo nop > current_tracer")
    assert not re.search("BUG|WARNING", machine.text)


@pytest.mark.soak
def test_four_seconds_of_calls_on_four_cpus_are_whole_trees(boot, images):
    """Traces only some functions, so that no event is lost: nested calls that sleep, switch and wake."""
    machine = boot(cpus=4, mem="512M")
    names = symbols(images)
    machine.check(f"cd {TRACING}; echo 2048 > buffer_size_kb; echo 0 > tracing_on")
    machine.check("echo 'vfs_* __x64_sys_* seq_* pipe_* *schedule* *wake* do_interrupt' > set_ftrace_filter")
    machine.check("echo '__x64_sys_mmap __x64_sys_munmap' > set_ftrace_notrace")  # stress does nothing else
    machine.check("echo function_graph > current_tracer")
    for _ in range(8):
        machine.check("echo 'sleep 0.4; cat /proc/stat | grep -c cpu > /dev/null' >> /tmp/script")
    machine.check("echo 1 > tracing_on; stress -c 2 -m 2 -t 4 &")
    machine.check("sh /tmp/script; wait")
    data = snapshot(machine, 4)
    for cpu in range(4):
        stats = machine.check(f"cat per_cpu/cpu{cpu}/stats")
        assert "\noverrun: 0\n" in stats and "\ndropped events: 0\n" in stats
    stamps = [call[0] for call in calls(data)]
    assert stamps[-1] - stamps[0] >= 4_000_000_000
    assert check_trees(data, names) > 1000
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter; echo > set_ftrace_notrace")
    assert not re.search("BUG|WARNING", machine.text)
