"""Events outside the machine: trace-export sends their formats, and `trace-cmd report` and scripts/trace-convert print each
event as `cat trace` does."""
import re

from exporting import convert, record, trace_cmd, transfer

# -N: without plugins, which print some events in other words. The formats alone must be enough.
REPORTED = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] +(?:\S+ +)?(\d+\.\d+): (\w+): *(.*)$")
TRACED = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] \S+ +(\d+\.\d+): (\w+): (.*)$")
# trace-cmd 3.1.6 evaluates these fields differently, for Linux's formats too: it reads a & (b | c) as (a & b) | c, does not know
# vmemmap_base nor the numbers of enum hrtimer_mode, and prints no size of a function for %pS.
UNLIKE = {"timer_start": r"flags=\S*", "hrtimer_init|hrtimer_start": r"mode=\S*", r"mm_page_\w+": r"page=\S+",
          r"\w+": r"(?<=\+0x)([0-9a-f]+)/0x[0-9a-f]+"}
SYSTEMS = ("sched", "task", "signal", "workqueue", "rcu", "sample", "irq", "timer", "kmem", "raw_syscalls")


def comparable(name, text):
    text = re.sub(r"\b0x(?=ffff[0-9a-f]{12}\b)", "", " ".join(text.split())).replace("(nil)", "0" * 16)  # of %p
    for names, part in UNLIKE.items():
        if re.fullmatch(names, name):
            text = re.sub(part, lambda match: match.group(1) if match.re.groups else "…", text)
    return text


def events(text, line):
    """{CPU: [(time, name, text)]}"""
    by_cpu = {}
    for match in filter(None, map(line.match, text.splitlines())):
        _, _, cpu, time, name, rest = match.groups()
        by_cpu.setdefault(int(cpu), []).append((time, name, comparable(name, rest)))
    return by_cpu


def test_trace_cmd_reports_each_event_as_trace_says_it(traced, tmp_path):
    machine, port = traced(2)
    machine.check("modprobe sample-event function=__x64_sys_mkdir")
    available = set(name.split(":")[0] for name in machine.check("cat available_events").split())
    machine.check("echo 20000 > buffer_size_kb")
    machine.check("echo 0 > tracing_on")
    for system in available & set(SYSTEMS):
        machine.check(f"echo 1 > events/{system}/enable")
    # What is traced prints nothing on the console: each letter is an interrupt.
    machine.check("echo 1 > tracing_on; mkdir /tmp/a; ls /proc | wc > /dev/null; sleep 0.2; sleep 0.1 & wait; rmdir /tmp/a; "
                  "echo 0 > events/enable; echo 0 > tracing_on")
    ours = events(machine.fetch("echo 0 > options/hash-ptr; cat trace"), TRACED)  # the file has addresses
    transfer(machine, port, tmp_path / "trace.dat")
    theirs = events(trace_cmd("report", "-N", tmp_path / "trace.dat"), REPORTED)
    assert sorted(ours) == sorted(theirs)
    different = {}
    for cpu, lines in ours.items():
        assert [name for _, name, _ in lines] == [name for _, name, _ in theirs[cpu]]
        for (_, name, our), (_, _, their) in zip(lines, theirs[cpu]):
            if our != their:
                different.setdefault(name, (our, their))
    assert not different, "\n".join(f"{name}: trace says {o!r}, trace-cmd {t!r}" for name, (o, t) in different.items())
    assert len({name for lines in ours.values() for _, name, _ in lines}) > 12


# trace-convert does not know what is not in the formats, as trace-cmd: the value of vmemmap_base, where the array of pages
# begins, the numbers of an enum, the event that an event probe is at, and the size of a trampoline that an interrupt has met.
NOT_IN_FORMATS = {"mm_page_\\w+": r"(?<=page=)\S+", "hrtimer_(?:init|start)": r"(?<=mode=)\S+", "a_probe": r"\(sched\.sched_switch\)",
                  "irq_\\w+": r"(?<=/)0x\w+(?= \[__builtin__ftrace\])"}


def without(line):
    for names, part in NOT_IN_FORMATS.items():
        line = re.sub(rf"(: {names}:.*?){part}", r"\1", line)
    return line


def test_trace_convert_prints_each_event_as_trace_says_it(traced, tmp_path):
    machine, port = traced(2)
    machine.check("echo 20000 > buffer_size_kb; modprobe sample-event function=__x64_sys_mkdir")
    machine.check("echo 'ev u64 a; s16 b; char c[]; char d[16]; unsigned long s[]' > synthetic_events")
    machine.check("echo 'e:a_probe sched.sched_switch a=$next_pid:x32 b=$next_comm:string c=$prev_pid' >> dynamic_events")
    # What is traced prints nothing on the console: each letter is an interrupt.
    machine.check("echo 0 > tracing_on; echo 1 > events/enable")
    machine.check("""echo 1 > options/userstacktrace; echo 1 > tracing_on; echo a word > trace_marker; mkdir /tmp/a
                  echo 0 > options/userstacktrace; printf 'abcdefghi' > trace_marker_raw; ls /tmp | wc > /dev/null
                  echo 'a=7 b=-3 c="text" d="more"' > events/synthetic/ev/inject; sleep 0.02; sleep 0.1 & kill $!; wait
                  rmdir /tmp/a; echo 0 > tracing_on; echo 0 > events/enable""".replace("\n", ";"))
    ours = [without(line) for line in machine.fetch("echo 0 > options/hash-ptr; cat trace").splitlines() if not line.startswith("#")]
    transfer(machine, port, tmp_path / "trace.dat")
    theirs = [without(line) for line in convert(tmp_path / "trace.dat", "ftrace").splitlines() if not line.startswith("#")]
    different = [(our, their) for our, their in zip(ours, theirs) if our != their]
    assert not different, "\n".join(f"trace says {our!r}, trace-convert {their!r}" for our, their in different[:20])
    assert len(ours) == len(theirs) > 5000
    names = set(re.findall(r"^ *.+-\d+ +\[\d+\] \S+ +\d+\.\d+: (\w+)[:(]", "\n".join(ours), re.M))
    assert {"sched_switch", "sys_read", "a_probe", "ev", "raw_data", "kmalloc", "mm_page_alloc", "hrtimer_start"} - names == {"raw_data"}
    assert len(names) > 60 and any("# 64636261 buf: 65 66 67" in line for line in ours)


def test_trace_record_records_events(images, tmp_path):
    result = record("--cpus", "2", "-e", "sched:sched_switch", "-e", "task", "ls", "/proc/1", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    found = events(trace_cmd("report", "-N", tmp_path / "trace.dat"), REPORTED)
    names = {name for lines in found.values() for _, name, _ in lines}
    assert {"sched_switch", "task_newtask"} <= names <= {"sched_switch", "task_newtask", "task_rename"}
    assert any("_comm=ls" in text for lines in found.values() for _, _, text in lines)
    result = record("-e", "sched:nosuch", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "set_event" in result.stderr
