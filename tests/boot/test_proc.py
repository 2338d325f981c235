"""/proc has Linux's formats, so programs that read Linux's /proc can read it."""
import re

import pytest

from nop5 import eventually, kill, tasks

NUMBER = r"\d+"


def fields(text):
    """`Name:   value` lines as a dictionary."""
    return dict(re.match(r"([^:]+):\s*(.*)", line).groups() for line in text.splitlines())


def test_version_names_kernel_compiler_and_smp(nop5):
    assert re.fullmatch(r"nop5 version \S+ \(nop5@localhost\) \((gcc|clang) \d+.*\) #\d+ SMP PREEMPT.*\n",
                        nop5.check("cat /proc/version"))


def test_cmdline_is_one_line(nop5):
    assert nop5.check("cat /proc/cmdline").count("\n") == 1


def test_cpuinfo_has_one_block_a_cpu_with_linuxs_keys(nop5):
    blocks = nop5.check("cat /proc/cpuinfo").strip().split("\n\n")
    assert [re.search(r"^processor\t: (\d+)$", b, re.M).group(1) for b in blocks] == list("0123")
    for block in blocks:
        for key in ("vendor_id\t: ", "cpu family\t: ", "model\t\t: ", "model name\t: ", "stepping\t: ",
                    "cpu MHz\t\t: ", "apicid\t\t: ", "flags\t\t: "):
            assert re.search("^" + re.escape(key) + r"\S", block, re.M), key
        assert {"tsc", "apic", "nx", "lm"} <= set(re.search(r"^flags\t\t: (.*)", block, re.M).group(1).split())


def test_meminfo_adds_up(nop5):
    text = nop5.check("cat /proc/meminfo")
    for line in text.splitlines():
        assert re.fullmatch(r"\w+(\(\w+\))?: +\d+ kB", line), line
    info = {k: int(v.split()[0]) for k, v in fields(text).items()}
    assert list(info)[:2] == ["MemTotal", "MemFree"]
    assert {"Slab", "KernelStack", "PageTables", "VmallocUsed"} <= set(info)
    assert 200 * 1024 < info["MemTotal"] < 256 * 1024
    assert 0 < info["MemFree"] < info["MemTotal"]
    # MemTotal does not include the page tables that the boot has made.
    assert info["Slab"] + info["KernelStack"] <= info["MemTotal"] - info["MemFree"]


def test_uptime_grows_and_has_two_decimals(nop5):
    pattern = r"(\d+\.\d\d) (\d+\.\d\d)\n"
    first = re.fullmatch(pattern, nop5.check("cat /proc/uptime"))
    second = re.fullmatch(pattern, nop5.check("cat /proc/uptime"))
    assert first and second
    assert float(second.group(1)) >= float(first.group(1)) > 0
    assert float(second.group(2)) >= float(first.group(2)) >= 0


def test_stat_has_linuxs_lines_and_its_sum(nop5):
    text = nop5.check("cat /proc/stat")
    lines = text.splitlines()
    cpu = [list(map(int, l.split()[1:])) for l in lines if re.match(r"cpu\d* ", l)]
    assert len(cpu) == 5 and all(len(c) == 10 for c in cpu)
    assert lines[0].startswith("cpu  ")
    for column in range(10):
        # Each number is rounded down to ticks separately.
        assert 0 <= cpu[0][column] - sum(c[column] for c in cpu[1:]) < 4
    for key in ("intr", "ctxt", "btime", "processes", "procs_running", "procs_blocked", "softirq"):
        assert re.search(rf"^{key} \d+", text, re.M), key
    assert int(re.search(r"^procs_running (\d+)", text, re.M).group(1)) >= 1
    early, now, late = map(float, nop5.check("cut -d' ' -f1 /proc/uptime; date +%s; cut -d' ' -f1 /proc/uptime").split())
    assert now - late - 1.1 <= int(re.search(r"^btime (\d+)", text, re.M).group(1)) <= now + 1.1 - early


def test_stat_counts_switches_and_forks(nop5):
    def counts():
        text = nop5.check("cat /proc/stat")
        return [int(re.search(rf"^{k} (\d+)", text, re.M).group(1)) for k in ("ctxt", "processes")]

    before = counts()
    nop5.check("hackbench -g 1 -l 10")
    after = counts()
    assert after[0] > before[0] + 10
    assert after[1] > before[1] + 10  # hackbench's tasks


INTERRUPTS = {"NMI": "Non-maskable interrupts", "LOC": "Local timer interrupts",
              "SPU": "Spurious interrupts", "IWI": "IRQ work interrupts", "RES": "Rescheduling interrupts",
              "CAL": "Function call interrupts", "TLB": "TLB shootdowns"}


def interrupts(nop5):
    """{kind: [count for each CPU]}"""
    table = {}
    for line in nop5.check("cat /proc/interrupts").splitlines()[1:]:
        name, rest = line.split(":", 1)
        table[name.strip()] = [int(w) for w in rest.split()[:4] if w.isdigit()]
    return table


def test_interrupts_is_linuxs_table(nop5):
    lines = nop5.check("cat /proc/interrupts").splitlines()
    assert lines[0].split() == ["CPU0", "CPU1", "CPU2", "CPU3"]
    text = "\n".join(lines)
    for name, meaning in INTERRUPTS.items():
        assert re.search(rf"^ *{name}:( +\d+){{4}}   {meaning}$", text, re.M), name
    assert re.search(r"^ *TXT:( +\d+){4}   ", text, re.M)
    assert re.search(r"^ *4:( +\d+){4}   IO-APIC +4-edge +ttyS0$", text, re.M)


def test_interrupts_counts_what_happens(nop5):
    before = interrupts(nop5)
    nop5.check("hackbench -g 1 -l 20")
    after = interrupts(nop5)
    for kind in ("LOC", "RES", "4"):
        assert sum(after[kind]) > sum(before[kind]), kind
    assert all(after["LOC"])


def test_an_idle_cpu_takes_no_periodic_tick(nop5):
    """While the shell sleeps, idle CPUs get few timer interrupts, not 1000 a second."""
    def ticks():
        return sum(interrupts(nop5)["LOC"])

    nop5.check("sleep 1")
    before = ticks()
    nop5.check("sleep 5")
    assert ticks() - before < 4 * 5 * 50


def test_kallsyms_is_sorted_and_names_functions(nop5):
    lines = nop5.fetch("cat /proc/kallsyms").splitlines()
    assert len(lines) > 500
    for line in lines:
        assert re.fullmatch(r"[0-9a-f]{16} [a-zA-Z] \S+", line), line
    addresses = [int(l.split()[0], 16) for l in lines]
    assert addresses == sorted(addresses)
    names = {l.split()[2]: l.split() for l in lines}
    for name in ("schedule", "kfree", "tty_read", "flush_to_ldisc", "vfs_read"):
        assert names[name][1] in "tT", name
        assert names[name][0].startswith("ffffffff8"), name


def test_loadavg_has_linuxs_five_fields(nop5):
    match = re.fullmatch(r"\d+\.\d\d \d+\.\d\d \d+\.\d\d (\d+)/(\d+) (\d+)\n", nop5.check("cat /proc/loadavg"))
    running, tasks, last_pid = map(int, match.groups())
    assert 1 <= running <= tasks and tasks > 8 and last_pid > 4


def test_self_is_the_reader(nop5):
    assert nop5.check("cat /proc/self/comm") == "cat\n"
    assert re.search(r"self -> \d+$", nop5.check("ls -l /proc/self"), re.M)


def test_pid_stat_has_52_fields_of_linux(nop5):
    text = nop5.check("cat /proc/self/stat")
    match = re.fullmatch(r"(\d+) \((.*)\) (\S) (.*)\n", text)
    assert match.group(2) == "cat" and match.group(3) == "R"
    rest = match.group(4).split()
    assert len(rest) == 49
    shell = nop5.check("echo $$").strip()
    assert rest[0] == shell  # PPid
    assert 0 <= int(rest[35]) < 4  # processor
    assert all(re.fullmatch(r"-?\d+", f) for f in rest)


def test_pid_stat_counts_the_time_of_a_task_and_of_its_children(boot):
    """In 1/100 s. The time of the shell's children includes stress and its two tasks, which compute in user mode."""
    nop5 = boot(cpus=2)

    def times(pid):
        fields = nop5.check(f"cat /proc/{pid}/stat").rpartition(")")[2].split()
        return int(fields[11]), int(fields[13])

    shell = nop5.check("echo $$").strip()
    nop5.check("stress -c 2 -t 2")
    own, children = times(shell)
    assert own < children >= 100
    nop5.run("taskset -c 1 stress -c 1 -t 3600 &")
    worker = eventually(lambda: tasks(nop5, "stress")[1:])[0]
    eventually(lambda: times(worker)[0] > 20)
    kill(nop5, "stress")


def test_pid_status_agrees_with_stat(nop5):
    status = fields(nop5.check("cat /proc/self/status"))
    assert status["Name"] == "cat"
    assert status["State"] == "R (running)"
    assert status["PPid"] == nop5.check("echo $$").strip()
    assert status["Tgid"] == status["Pid"]
    assert status["Cpus_allowed_list"] == "0-3"
    assert status["Cpus_allowed"] == "f"
    for key in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"):
        assert status[key].isdigit()


def test_pid_stack_names_where_a_sleeper_sleeps(nop5):
    nop5.run("sleep 1000 &")
    pid = next(l.split()[0] for l in nop5.check("ps").splitlines() if re.search(r"\bsleep\b", l))
    try:
        # ps can show the task before the task sleeps.
        eventually(lambda: "sleep" in nop5.check(f"cat /proc/{pid}/stack"))
        stack = nop5.check(f"cat /proc/{pid}/stack")
        for line in stack.splitlines():
            assert re.fullmatch(r"\[<0>\] \S+\+0x[0-9a-f]+/0x[0-9a-f]+", line), line
        assert nop5.check(f"cat /proc/{pid}/comm") == "sleep\n"
        assert " S " in nop5.check(f"cat /proc/{pid}/stat")
    finally:
        nop5.run(f"kill {pid}")
        nop5.run("wait")
    assert nop5.run(f"cat /proc/{pid}/comm").status == 1


def test_proc_lists_each_task_once(nop5):
    pids = [n for n in nop5.check("ls /proc").split() if n.isdigit()]
    assert "1" in pids and len(pids) == len(set(pids))
    assert nop5.check("cat /proc/1/comm").strip()


def escaped(text):
    """A typed tab would complete a name."""
    return text.replace("\t", "\\t")


@pytest.mark.parametrize("name, value, bad", [("panic_on_oops", "1", "x"), ("panic", "5", "x"),
                                              ("printk", "6\t4\t1\t7", "x")])
def test_sysctl_reads_writes_and_refuses_nonsense(nop5, name, value, bad):
    path = f"/proc/sys/kernel/{name}"
    before = nop5.check(f"cat {path}").rstrip("\n")
    nop5.check(f"printf '{escaped(value)}' > {path}")
    assert nop5.check(f"cat {path}") == value + "\n"
    result = nop5.run(f"echo {bad} > {path}")
    assert result.status == 1 and "sh: write error: Invalid argument" in result.lines
    assert nop5.check(f"cat {path}") == value + "\n"
    nop5.check(f"printf '{escaped(before)}' > {path}")


def test_any_read_size_gives_the_same_bytes(nop5):
    """The text of a file does not depend on the sizes of the reads (seq_file)."""
    for path in ("/proc/kallsyms", "/sys/kernel/debug/page_tables"):
        whole = nop5.check(f"cat {path}")
        head = nop5.check(f"head -n 100 {path}")
        assert whole.startswith(head) and head.count("\n") == min(100, whole.count("\n"))
        assert nop5.check(f"wc {path}").split()[:3] == [
            str(whole.count("\n")), str(len(whole.split())), str(len(whole.encode()))]


def test_page_tables_lists_ranges_that_are_never_writable_and_executable(nop5):
    text = nop5.check("cat /sys/kernel/debug/page_tables")
    lines = text.splitlines()
    assert lines[-1] == "W+X pages: 0"
    ranges = [re.search(r"(?:0x)?([0-9a-f]{16})-(?:0x)?([0-9a-f]{16})\s+(.*)", l) for l in lines]
    ranges = [(int(m.group(1), 16), int(m.group(2), 16), m.group(3)) for m in ranges if m]
    assert len(ranges) > 5
    for start, end, what in ranges:
        assert start < end
        assert start >= 1 << 63 or "PCI" in what, "no identity map is left behind"
        # Linux's ptdump: RW or ro, x or NX
        assert not (re.search(r"\bRW\b", what) and re.search(r"\bx\b", what)), what
    image = [r for r in ranges if r[0] >= 0xffffffff80000000]
    assert any(re.search(r"\bro\b.*\bx\b", r[2]) for r in image), "text"
    assert any(re.search(r"\bRW\b.*\bNX\b", r[2]) for r in image), "data"


@pytest.mark.parametrize("key, expected", [
    ("t", r"init.*\n(.*\n)*.*kworker/"), ("w", r"blocked|Blocked|SysRq|sysrq"), ("l", r"CPU.*\n(.*\n)*.*\+0x")])
def test_sysrq_reports(nop5, key, expected):
    nop5.check("dmesg > /dev/null")
    before = len(nop5.text)
    nop5.check(f"echo {key} > /proc/sysrq-trigger")
    nop5.check("echo")
    assert re.search(expected, nop5.text[before:])


def test_the_next_task_gets_the_number_after_ns_last_pid(nop5):
    """A kworker may be born before the shell's next task. The trace shows the numbers of all new tasks."""
    path, tracing = "/proc/sys/kernel/ns_last_pid", "/sys/kernel/tracing"
    nop5.check(f"echo > {tracing}/trace; echo 1 > {tracing}/events/sched/sched_process_fork/enable")
    pid = int(nop5.check(f"echo 30100 > {path}; sh -c 'echo $$'"))
    trace = nop5.check(f"echo 0 > {tracing}/events/sched/sched_process_fork/enable; cat {tracing}/trace; echo > {tracing}/trace")
    assert pid > 30100 and set(range(30101, pid + 1)) <= set(map(int, re.findall(r"child_pid=(\d+)", trace)))
    refused = nop5.run(f"echo 40000 > {path}")
    assert refused.status == 1 and "Invalid argument" in refused.output


def test_sysfs_shows_interrupts_of_devices(nop5):
    assert nop5.check("cd /sys/kernel/irq/4; cat actions hwirq name; cd /") == "ttyS0\n4\nedge\n"
    counts = nop5.check("cat /sys/kernel/irq/4/per_cpu_count").split(",")
    assert len(counts) == 4 and int(counts[0]) > 0


def test_sysfs_shows_the_clock_that_the_time_of_day_comes_from(boot):
    machine = boot(cpus=1, fresh=True)
    early, name, clock, late = machine.check("date +%s; cat /sys/class/rtc/rtc0/name /sys/class/rtc/rtc0/since_epoch; date +%s").split()
    assert name == "rtc_cmos" and int(early) - 2 <= int(clock) <= int(late) + 2
