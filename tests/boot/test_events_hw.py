"""The events of interrupts, timers, memory, faults and TLB flushes: what a trace of them must say.

Each test records one system, or a few, while the machine does something, and then looks at pairs: what begins ends,
what is freed was allocated, what runs was requested before.
"""
import re
import subprocess
from collections import defaultdict

import pytest

TRACING = "/sys/kernel/tracing"
LINE = re.compile(r"^ *(?P<comm>.+)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?P<flags>\S{5}) +(?P<time>[\d.]+): "
                  r"(?P<name>\w+): (?P<text>.*)$")
PROVOKE = "/sys/kernel/debug/provoke-crash/DIRECT"


class Event(dict):
    """One line of the trace; event["vec"] is the value of `vec=` in its text."""
    def __init__(self, match):
        super().__init__(re.findall(r"(\w+)=([^\s\]]+)", match["text"]))
        self.name, self.text, self.flags = match["name"], match["text"], match["flags"]
        self.pid, self.cpu = int(match["pid"]), int(match["cpu"])


def record(machine, events, *commands, size=8192):
    """Run the commands with the events on. Return what was recorded, the oldest first."""
    machine.check(f"cd {TRACING}")
    try:
        machine.check(f"echo {size} > buffer_size_kb")
        machine.check("echo > trace")
        # The events do not begin at the same instant. Recording does.
        machine.check(f"echo 0 > tracing_on; echo {' '.join(events)} > set_event; echo 1 > tracing_on")
        for command in commands:
            machine.run(command)
        machine.check("echo 0 > tracing_on")
        text = machine.fetch("cat trace")
    finally:
        machine.check("echo > set_event")
        machine.check("echo 1 > tracing_on")
        machine.check("echo > trace")
        machine.check("echo 1408 > buffer_size_kb")
    count = re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", text)
    assert count[1] == count[2], "the buffer was too small"
    found = [Event(m) for m in map(LINE.match, text.splitlines()) if m]
    assert len(found) == int(count[1])
    return found


def check_pairs(events, prefix, key):
    """On each CPU, prefix_entry is followed by prefix_exit with the same key. Return the number of pairs."""
    inside, pairs = {}, 0
    for event in events:
        if event.name == f"{prefix}_entry":
            assert event.cpu not in inside, event.text
            inside[event.cpu] = event[key]
        elif event.name == f"{prefix}_exit" and event.cpu in inside:  # recording may begin inside a pair
            assert inside.pop(event.cpu) == event[key]
            pairs += 1
    return pairs


def test_interrupt_handlers_begin_and_end_in_hardirq_context(nop5):
    events = record(nop5, ["irq:irq_handler_entry", "irq:irq_handler_exit"], "cat /proc/interrupts")
    assert check_pairs(events, "irq_handler", "irq") > 2
    assert {(e["irq"], e["name"]) for e in events if e.name == "irq_handler_entry"} == {("4", "ttyS0")}
    assert {e["ret"] for e in events if e.name == "irq_handler_exit"} <= {"handled", "unhandled"}
    assert {e.flags[0] + e.flags[2] for e in events} <= {"dh", "dH", "Dh", "DH"}  # D: softirqs are off, H: in a softirq


def test_a_softirq_is_raised_before_it_runs(nop5):
    events = record(nop5, ["irq:softirq_raise", "irq:softirq_entry", "irq:softirq_exit"], "sleep 0.2")
    assert check_pairs(events, "softirq", "vec") > 0
    raised, seen, ran = defaultdict(int), set(), 0
    for event in events:
        place = event.cpu, event["vec"]
        if event.name == "softirq_raise":
            raised[place] += 1
        elif event.name == "softirq_entry":
            # The first softirq of a CPU may have been raised before the recording began.
            assert raised[place] or place not in seen, f"CPU {event.cpu} runs a softirq that nothing has raised: {event.text}"
            ran += raised[place] > 0
            # An interrupt just before the entry may have raised it once more: then it runs twice.
            raised[place] = int(raised[place] > 1)
            seen.add(place)
    assert ran > 0
    assert any(e["action"].startswith("TIMER") for e in events)


def test_vectors_have_their_own_events(nop5):
    events = record(nop5, ["irq_vectors"], "hackbench -g 1 -l 20", "sleep 0.1")
    for name, vector in (("local_timer", 0xec), ("reschedule", 0xfd)):
        assert check_pairs(events, name, "vector") > 0, name
        assert {e["vector"] for e in events if e.name.startswith(name)} == {str(vector)}


def test_a_timer_is_started_before_it_expires(nop5):
    """Those of sleeps are hrtimers; the kernel's own may expire meanwhile."""
    names = [f"{kind}_{what}" for kind in ("timer", "hrtimer") for what in ("start", "expire_entry", "expire_exit")]
    events = record(nop5, [f"timer:{name}" for name in names], "sleep 0.1", "sleep 0.1")
    started, running, expired = {}, {}, 0
    for event in events:
        kind, what = event.name.split("_", 1)
        timer = event[kind]
        if what == "start":
            started[timer] = event
        elif what == "expire_entry":
            running[event.cpu] = timer
            if timer in started:
                start = started.pop(timer)
                assert start.name == f"{kind}_start"
                assert start["function"] == event["function"]
                assert kind == "hrtimer" or start["expires"] == event["baseclk"]
                assert int(event["now"]) >= int(start["expires"])
                expired += 1
        elif what == "expire_exit":
            assert running.pop(event.cpu, timer) == timer
    assert expired >= 2


def test_the_sleep_of_a_program_is_an_hrtimer(nop5):
    names = [f"hrtimer_{what}" for what in ("init", "start", "cancel", "expire_entry", "expire_exit")]
    events = record(nop5, [f"timer:{name}" for name in [*names, "timer_start"]], "sleep 0.1")
    # glibc's sleep asks for a duration on CLOCK_REALTIME.
    init = next(e for e in events if e.name == "hrtimer_init" and (e["clockid"], e["mode"]) == ("CLOCK_REALTIME", "REL"))
    of_sleep = [e for e in events[events.index(init):] if e.get("hrtimer") == init["hrtimer"]][:5]
    assert [e.name for e in of_sleep] == names
    _, start, _, entry, _ = of_sleep
    assert start["mode"] == "REL" and start["was_armed"] == "0" and start["softexpires"] == start["expires"]
    assert int(entry["now"]) >= int(start["expires"]) and entry["function"] == start["function"]
    assert not any(e.name == "timer_start" and e["timer"] == init["hrtimer"] for e in events)


def test_the_stack_of_an_event_of_timers_begins_with_the_function_that_starts_the_timer(nop5):
    nop5.check(f"cd {TRACING}; echo > trace; echo 1 > options/stacktrace; echo 1 > events/timer/hrtimer_start/enable")
    try:
        nop5.check("sleep 0.1")
        text = nop5.check("echo 0 > events/timer/hrtimer_start/enable; cat trace")
    finally:
        nop5.check("echo 0 > events/timer/hrtimer_start/enable; echo 0 > options/stacktrace; echo > trace; cd /")
    stacks = [part.split("\n => ")[1:] for part in text.split("<stack trace>")[1:]]
    assert any("schedule_until" in stack[:4] for stack in stacks), stacks
    assert {stack[0].split()[0] for stack in stacks} <= {"mod_timer", "mod_timer_on"}, stacks


def test_memory_is_freed_before_it_is_allocated_again(nop5):
    events = record(nop5, ["kmem:kmalloc", "kmem:kfree"], "cat /proc/meminfo", "ls /proc", "cat /proc/meminfo",
                    size=32768)
    owner, freed, by_caller = {}, 0, set()
    for event in events:
        pointer = event["ptr"]
        if event.name == "kmalloc":
            assert pointer not in owner, f"{event.text}, which {owner[pointer].text} still has"
            owner[pointer] = event
            assert int(event["bytes_alloc"]) >= int(event["bytes_req"])
            assert event["gfp_flags"].startswith(("GFP_KERNEL", "GFP_ATOMIC", "GFP_NOWAIT"))
        elif pointer in owner:
            by_caller.add(owner.pop(pointer)["call_site"].split("+")[0])
            freed += 1
    assert freed > 20
    assert "alloc_task" in by_caller, by_caller  # the struct of a task that the shell has made


def test_objects_of_caches_go_back_to_their_cache(nop5):
    events = record(nop5, ["kmem:kmem_cache_alloc", "kmem:kmem_cache_free"], "cat /proc/meminfo", "cat /proc/meminfo", size=32768)
    sizes, names, freed = {}, defaultdict(set), 0
    for event in events:
        if event.name == "kmem_cache_alloc":
            assert event["ptr"] not in sizes
            sizes[event["ptr"]] = event["bytes_req"]
        elif event["ptr"] in sizes:
            names[event["name"]].add(sizes.pop(event["ptr"]))
            freed += 1
    assert freed > 0
    assert "filp" in names
    assert all(len(found) == 1 for found in names.values()), names  # one size for each cache


def test_pages_are_freed_before_they_are_allocated_again(nop5):
    events = record(nop5, ["kmem:mm_page_alloc", "kmem:mm_page_free"], "hackbench -g 1 -l 10", size=32768)
    owned, freed = {}, 0
    for event in events:
        pfn = int(event["pfn"], 16)
        if event.name == "mm_page_alloc":
            assert not any(pfn + i in owned for i in range(1 << int(event["order"])))
            owned[pfn] = event["order"]
        elif pfn in owned:
            assert owned.pop(pfn) == event["order"]
            freed += 1
    assert freed > 5


def test_a_tlb_flush_of_the_kernel_asks_all_other_cpus_and_each_answers(nop5):
    """A worker unmaps the stacks of dead tasks, so recording may begin and end in the middle of a flush. A flush of a program's
    memory asks only the CPUs that use it, by the interrupt for function calls."""
    # The profiler's counters are unmapped, and the stacks of many tasks.
    events = record(nop5, ["tlb", "irq_vectors:call_function_entry", "irq_vectors:call_function_exit"], "echo 1 > function_profile_enabled",
                    "echo 0 > function_profile_enabled", "hackbench -g 4 -l 5")
    calls, last, rounds = set(), {}, []
    for event in events:
        if event.name.startswith("call_function"):
            (calls.add if event.name.endswith("entry") else calls.discard)(event.cpu)
            continue
        if "local shootdown" in event.text:  # one task flushes at a time, and waits for the answers
            assert "remote ipi send" in last.get(event.pid, "remote ipi send")
            rounds.append((event.cpu, []))
        elif "remote shootdown" in event.text and event.cpu not in calls:
            if rounds:
                rounds[-1][1].append(event.cpu)
        else:
            assert re.search("remote (ipi send|shootdown)|local mm shootdown|flush on task switch", event.text)
        if "remote shootdown" not in event.text and "task switch" not in event.text:  # which any task may be in the way of
            last[event.pid] = event.text
    assert len(rounds) > 2
    for cpu, answers in rounds[1:-1]:
        assert sorted([cpu, *answers]) == [0, 1, 2, 3]
    last_cpu, last_answers = rounds[-1]
    assert len({last_cpu, *last_answers}) == 1 + len(last_answers)


def test_an_nmi_names_its_handlers_and_the_one_that_it_was_for(nop5):
    events = record(nop5, ["nmi"], "echo l > /proc/sysrq-trigger")
    handled = [re.match(r"(\w+)\(\) delta_ns: (\d+) handled: (\d)", e.text).groups() for e in events]
    assert [h for h in handled if h[0] == "smp_handle_nmi" and h[2] == "1" and int(h[1]) > 0]
    assert {h[0] for h in handled} == {"watchdog_nmi", "smp_handle_nmi"}
    assert all(e.flags[2] in "Zz" for e in events)


def test_a_page_fault_is_recorded_before_its_oops(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="panic=0")
    events = record(nop5, ["exceptions"], f"sh -c 'echo EXCEPTION > {PROVOKE}'")
    event, = [e for e in events if e["ip"] == "provoke_exception"]  # the program has page faults of its own
    assert event.name == "page_fault_kernel"
    assert re.fullmatch(r"address=(0x0|\(null\)|0+) ip=\w+ error_code=0x\w+", event.text), event.text


@pytest.mark.parametrize("function", ["text_patch_int3", "do_int3", "apic_send_self"])
def test_code_below_tracing_has_no_tracepoint(images, function):
    """A breakpoint's handler would hit the breakpoint of its own site. apic_send_self() wakes the readers of a trace."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", images / "nop5.elf"],
                          text=True, stdout=subprocess.PIPE, check=True).stdout
    assert f"<{function}>:" in text and "ret" in text
    assert "__traceiter" not in text


@pytest.mark.soak
def test_all_of_them_at_once_while_eight_cpus_work(boot):
    nop5 = boot(kernel="nop5-test", cpus=8)
    nop5.check(f"cd {TRACING}")
    systems = ["irq", "irq_vectors", "nmi", "timer", "kmem", "exceptions", "tlb", "msr"]
    for _ in range(2):
        nop5.check(f"echo {' '.join(systems)} > set_event")
        nop5.check("hackbench -g 4 -l 20")
        nop5.check("echo > set_event")
    text = nop5.check("head -5000 trace")
    assert len({m["cpu"] for m in map(LINE.match, text.splitlines()) if m}) > 1


def test_interrupts_and_preemption_go_off_and_on_in_turns(nop5):
    found = defaultdict(list)
    for event in record(nop5, ["preemptirq"], "for i in 1 2 3; do cat /proc/uptime | cat > /dev/null; done"):
        found[event.cpu, event.name.partition("_")[0]].append(event)
        assert event.flags[0] in "dD" or event.name.startswith("preempt")
        assert re.fullmatch(r"caller=\S+\+0x\S+/0x\S+ parent=(\S+\+0x\S+/0x\S+|0x\S+)", event.text), event.text
    for (cpu, kind), events in found.items():
        names = [event.name for event in events]
        if names[0].endswith("enable"):  # switched on in the middle
            del names[0]
        pairs = [tuple(names[i:i + 2]) for i in range(0, len(names) - 1, 2)]
        assert set(pairs) == {(f"{kind}_disable", f"{kind}_enable")}, (cpu, kind, names)
    assert {kind for _, kind in found} == {"irq", "preempt"}
    callers = {event["caller"].partition("+")[0] for events in found.values() for event in events}
    assert {"do_idle", "irq_enter", "asm_common_interrupt", "entry_SYSCALL_64_after_hwframe"} <= callers
