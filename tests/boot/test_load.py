"""The kernel under load from ring 3: many processes, a fork bomb, exec in a loop, no memory, random system calls, floods.

Each load is a program of tests/load. Afterwards nothing is left of it: no process, no page, no file of others changed.
"""
import re
import subprocess

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT, Nop5, eventually
from seed import seed
from test_given_order import run_script

BAD = re.compile(r"BUG|WARNING|Oops|lockup|LOCKUP|Call Trace")
LOADS = ("processes", "socket_memory", "half_open", "fuzz_calls", "fuzz_perf", "floods", "take_all", "tracers", "orphaned_steps", "cpu_timers",
         "first_program")
SECONDS_OF_SOAK = 600


@pytest.fixture(scope="module")
def image(images):
    """The root file system with the loads."""
    directory = build_in(BUILD / "load", "-C", "tests/load", f"O={BUILD / 'load'}")
    subprocess.run([ROOT / "scripts/rootfs", directory / "rootfs.cpio", *(directory / name for name in LOADS)], check=True)
    return directory / "rootfs.cpio"


@pytest.fixture(scope="module")
def shared(images, image):
    machine = Nop5(build=images, cpus=4, mem="512M", initrd=str(image)).wait_prompt()
    machine.check("stty cols 1000; cd /root")
    yield machine
    machine.close()


@pytest.fixture
def machine(shared):
    """The machine of all tests here. After each test it is sound, and only the processes of before are left."""
    before = processes(shared)
    yield shared
    assert processes(shared) == before
    assert not BAD.search(shared.text), shared.says


def processes(machine):
    """The commands of all processes that are programs."""
    return sorted(re.findall(r"^Name:\t(.*)$", machine.check("for d in /proc/[0-9]*; do grep -q VmSize $d/status && "
                                                             "grep Name: $d/status; done 2>/dev/null; true"), re.M))


def free_kb(machine):
    """The most memory that several readings find free: what ends is freed after a grace period.

    With the room for objects in slabs: a slab keeps pages for each CPU and size of object, and which of them have one changes. But at
    most 2 MB of it: caches that keep empty slabs for ever keep memory, too.
    """
    room = "awk '/tunables/ { room += ($3 - $2) * $4 } /MemFree/ { free = $2 } END { if (room > 2097152) room = 2097152; print int(free + room / 1024) }' /proc/slabinfo /proc/meminfo"
    return max(map(int, machine.check(f"for i in 1 2 3 4; do {room}; sleep 0.5; done").split()))


def wait_for_memory(machine, before, slack_kb):
    """Until it is free again. A grace period, and the worker that frees then, may take long where the host seldom runs a CPU."""
    eventually(lambda: free_kb(machine) >= before - slack_kb, lambda: f"{before} kB were free, now {free_kb(machine)}")


def keeps_memory(machine, command, slack_kb):
    """Runs a load twice. The first run fills the caches of the kernel; the second must give all memory back."""
    machine.check(command)
    before = free_kb(machine)
    output = machine.check(command)
    wait_for_memory(machine, before, slack_kb)
    return output


SLACK = 256


def test_two_thousand_processes_run_at_once_and_leave_nothing(machine):
    assert keeps_memory(machine, "processes many 2000", SLACK) == "2000 processes at once\n0 ended badly\n"


def test_tracers_and_tracees_that_die_at_random_leave_nothing(machine):
    """No tracee stays in a stop: the load waits for the end of all. No user traces a task that acts for root."""
    level = machine.check("cat /proc/sys/kernel/printk").split()[0]
    machine.check("dmesg -n 1")  # what crashes would print
    output = keeps_memory(machine, f"tracers 10 {seed(11)}", SLACK)
    machine.check(f"dmesg -n {level}")
    assert re.fullmatch(r"attached [1-9]\d*, stops [1-9]\d*, requests \d+, breaches 0\n", output)


@pytest.mark.soak
@pytest.mark.variant
def test_tracers_and_tracees_die_at_random_from_many_seeds_on_eight_cpus(boot, variant, image):
    machine = boot(build=variant("DEBUG=1"), cpus=8, mem="1G", initrd=str(image))
    machine.check("dmesg -n 1")
    for number in range(10):
        output = machine.check(f"tracers 100 {seed(11) + number}")
        assert re.fullmatch(r"attached [1-9]\d*, stops [1-9]\d*, requests \d+, breaches 0\n", output)
    assert machine.check("orphaned_steps 60") == "240 of 240 tracees went on\n"
    assert not BAD.search(machine.text), machine.says


def test_a_tracer_that_dies_during_a_step_leaves_no_trap(machine):
    assert machine.check("orphaned_steps 15") == "60 of 60 tracees went on\n"


@pytest.mark.parametrize("cpus", [2, pytest.param(4, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", ["pipes", "sockets", "messages", "memfd", "shared", "files"])
def test_a_user_who_takes_all_does_not_stop_root_and_gives_it_back(boot, image, kind, cpus):
    """No call of root's shell fails for want of it; if a process is ended, then one of the user."""
    machine = boot(cpus=cpus, mem="128M", initrd=str(image))
    machine.check("ls -l / > /dev/null")
    before = free_kb(machine)
    machine.check(f"(take_all {kind} > /tmp/said 2>&1 &)")
    for _ in range(5):
        machine.check("ls -l / | wc -l; cat /proc/self/status > /tmp/f; rm /tmp/f")
    machine.check("until grep -q taken /tmp/said || ! pidof take_all > /dev/null; do sleep 0.2; done")
    for _ in range(20):
        machine.check("ls -l / | wc -l; cat /proc/self/status > /tmp/f; rm /tmp/f")
    machine.check("killall -q -9 take_all; true")
    machine.check("while pidof take_all > /dev/null; do sleep 0.2; done; rm /tmp/said")
    assert set(re.findall(r"Killed process \d+ \((.*?)\)", machine.text)) <= {"take_all"}
    assert not BAD.search(machine.text)
    wait_for_memory(machine, before, 2048)


def test_a_fork_bomb_under_a_limit_of_processes_leaves_the_machine_usable(machine):
    assert "bomb: 0" in keeps_memory(machine, "processes bomb 2 && sleep 1", SLACK)


def test_programs_that_replace_each_other_leave_no_page(machine):
    assert keeps_memory(machine, "processes exec 300", SLACK) == "all programs ran\n"


@pytest.mark.soak
def test_fork_threads_memory_and_exec_mixed_on_all_cpus_do_not_disturb_each_other(machine):
    assert keeps_memory(machine, "processes churn 2", SLACK) == "churn: 0 bad\n"


def digest(machine):
    """What others own: all files of the image, their attributes, the name of the host and its time within a minute.

    Without the kernel's messages: those about the last programs may come late.
    """
    return machine.run("find /etc /usr /root /home -type f | sort | xargs md5sum | md5sum; ls -lR /etc /usr /home /root /dev | "
                         "grep -v pts | md5sum; hostname; cat /proc/mounts").quiet


def fuzz(machine, seconds, number=0):
    """number: further ones of the same test make other calls. Each child of fuzz_calls adds to the seed, so they are far apart."""
    output = machine.check(f"fuzz_calls {seconds} {seed(1) * 1000003 + number * 100000007} > /tmp/fuzz.log 2>&1; status=$?; grep -e seed -e children /tmp/fuzz.log; (exit $status)")
    assert re.search(r"^\d+ children, all ended$", output, re.M), output
    machine.check("find /tmp -mindepth 1 -maxdepth 1 -exec rm -rf {} +")
    return output


@pytest.mark.soak
def test_random_system_calls_of_root_and_of_nobody_change_nothing_of_others(machine):
    fuzz(machine, 2)
    before, free = digest(machine), free_kb(machine)
    print(fuzz(machine, 8, 1))
    assert digest(machine) == before
    wait_for_memory(machine, free, 2 * SLACK)


TOGGLE = ("cd /sys/kernel/tracing; while [ ! -e /run/stop ]; do echo 1 > events/enable; echo function > current_tracer; sleep 0.2; "
          "echo function_graph > current_tracer; sleep 0.2; echo nop > current_tracer; echo 0 > events/enable; echo > trace; done")


@pytest.mark.soak
def test_random_system_calls_while_everything_is_traced_and_tracers_change(machine):
    machine.check(f"({TOGGLE}) & true")
    fuzz(machine, 8)
    machine.check("touch /run/stop; wait; rm /run/stop")
    assert machine.check("cat /sys/kernel/tracing/current_tracer") == "nop\n"


# A command that says nothing for five minutes hangs: so the long forms run in rounds.
ROUNDS = 10


@pytest.mark.soak
def test_ten_minutes_of_random_system_calls_and_ten_more_under_changing_tracers(machine):
    fuzz(machine, 10)
    before, free = digest(machine), free_kb(machine)
    for number in range(1, ROUNDS + 1):
        print(fuzz(machine, SECONDS_OF_SOAK // ROUNDS, number))
    assert digest(machine) == before
    wait_for_memory(machine, free, 2 * SLACK)
    machine.check(f"({TOGGLE}) & true")
    for number in range(ROUNDS + 1, 2 * ROUNDS + 1):
        print(fuzz(machine, SECONDS_OF_SOAK // ROUNDS, number))
    machine.check("touch /run/stop; wait; rm /run/stop")


@pytest.mark.soak
def test_a_long_time_of_exec_and_of_everything_mixed_leaves_no_page(machine):
    for _ in range(ROUNDS):
        assert keeps_memory(machine, f"processes exec {50000 // ROUNDS}", SLACK) == "all programs ran\n"
    for _ in range(ROUNDS):
        assert keeps_memory(machine, f"processes churn {SECONDS_OF_SOAK // ROUNDS}", SLACK) == "churn: 0 bad\n"


@pytest.fixture
def small(images, image):
    """A machine with little memory."""
    machine = Nop5(build=images, cpus=2, mem="96M", initrd=str(image)).wait_prompt()
    machine.check("stty cols 1000; cd /root")
    yield machine
    machine.close()


def start_hog(machine, mib, name, before="exec"):
    """Start a process that fills memory and waits. name: the shell's variable for its PID."""
    machine.check(f"({before} processes hog {mib}) > /tmp/hog & {name}=$!; until grep -q 'hog: {mib} MiB' /tmp/hog; do usleep 10000; done")


def address_spaces(machine):
    return int(machine.check("awk '/^mm_struct/ { print $2 }' /proc/slabinfo"))


def test_without_memory_the_largest_process_is_killed_and_named_and_its_memory_returns(small):
    free, spaces = free_kb(small), address_spaces(small)
    start_hog(small, 10, "small")
    small.send("processes hog 1000; echo status $?\n")
    match = small.expect(r"Out of memory: Killed process (\d+) \(processes\) total-vm:(\d+)kB, anon-rss:(\d+)kB, file-rss:\d+kB, "
                         r"shmem-rss:\d+kB, UID:0 pgtables:\d+kB oom_score_adj:0")
    assert int(match.group(2)) > 1000 * 1024
    assert int(match.group(3)) > free // 2
    small.expect("status 137")
    small.wait_prompt()
    assert small.check("kill -0 $small && echo alive") == "alive\n"  # the small one lives
    small.check("kill $small; wait $small; true")
    wait_for_memory(small, free, SLACK)
    # mlock(2) and madvise(2) take the pages themselves. They do not return as if they had them.
    for how in "lock", "populate":
        small.send(f"processes {how} 1000; echo status $?\n")
        small.expect(r"Out of memory: Killed process \d+ \(processes\) total-vm:10\d{5}kB")
        small.expect("status 137")
        small.wait_prompt()
        assert small.check(f"processes {how} 10") == f"{how}: 10 MiB\n"
    wait_for_memory(small, free, SLACK)
    eventually(lambda: address_spaces(small) == spaces)  # the last victim's is freed, too


@pytest.mark.parametrize("rounds", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_a_process_that_needs_little_memory_does_not_end_because_of_another_one(small, rounds):
    """Its fault may come while the memory of the victim is being freed: then no second victim is needed."""
    said = small.check(f"processes bystanders {rounds}")
    assert said.endswith("bystanders: 0 killed\n"), said
    assert said.count("Out of memory: Killed process") == rounds


def test_a_process_with_a_low_score_adjustment_outlives_a_smaller_one(small):
    start_hog(small, 40, "kept", "echo -1000 > /proc/self/oom_score_adj; exec")
    small.send("processes hog 1000; echo status $?\n")
    small.expect(r"Out of memory: Killed process \d+ \(processes\) total-vm:10\d{5}kB")
    small.expect("status 137")
    small.wait_prompt()
    assert small.check("kill -0 $kept && echo alive") == "alive\n"
    small.check("kill $kept; wait $kept; true")


def test_the_first_program_outlives_a_lack_of_memory_in_vfork_and_adopts_orphans_after_exec_by_a_thread(boot, image):
    """The child in vfork() uses its memory. The thread takes the place of the leader, to which orphans went."""
    machine = boot(cpus=2, mem="96M", initrd=str(image), append="rdinit=/bin/first_program", wait=False)
    machine.expect(r"Out of memory: Killed process \d+ \(first_program\)")
    machine.expect("child in vfork: 7")
    machine.expect("hog: signal 9")
    machine.expect("after exec by a thread: adopted 7")
    machine.expect("first program: done")


@pytest.mark.parametrize("what", ["netlink", "listener", "file", "socket", "mapping"])
def test_what_waits_at_sockets_counts_for_the_process_that_is_killed_without_memory(small, what):
    """A process without memory of its own fills the queues. Its score did not change."""
    assert int(re.search(r"score: (-?\d+) more", small.check(f"socket_memory {what}")).group(1)) > 20


@pytest.mark.soak
def test_a_port_connects_again_although_the_other_side_has_not_learned_the_end_of_its_connection(machine):
    """The SYN met the old connection, which dropped it, so connect(2) never ended."""
    assert machine.check("half_open") == "new: 4 bytes\nold: 0 bytes\nold: EPIPE\n"


# ---- perf_event_open(2) ----

PERF_EVENTS = "awk '$1 == \"perf_event\" { print $2 }' /proc/slabinfo"


def fuzz_perf(machine, much, number=0):
    """much: the number of families for each CPU, or a time: "30s"."""
    output = machine.check(f"fuzz_perf {much} {seed(1) * 1000003 + number * 100000007}")
    assert re.search(r"^\d+ families, all ended, [1-9]\d* events opened", output, re.M), output
    # A worker frees them after a grace period.
    machine.check(f"until [ $({PERF_EVENTS}) = 0 ]; do sleep 0.1; done")
    return output


def test_random_perf_events_of_root_and_of_nobody_leave_no_event_in_a_given_order(image, tmp_path):
    output = run_script(tmp_path, f"fuzz_perf 1 1000003\nuntil [ $({PERF_EVENTS}) = 0 ]; do sleep 0.1; done", 2, "nop5", [image.parent / "fuzz_perf"])
    assert re.search(r"^2 families, all ended, [1-9]\d* events opened", output, re.M), output


@pytest.mark.soak
@pytest.mark.parametrize("cpus, families, icount", [(2, 1, True), (2, 4, False), (8, 4, False)])
def test_random_perf_events_of_root_and_of_nobody_leave_no_event(boot, image, cpus, families, icount):
    machine = boot(cpus=cpus, mem="512M", initrd=str(image), icount=icount)
    assert f"{cpus * families} families" in fuzz_perf(machine, families)
    assert not BAD.search(machine.text), machine.says


@pytest.mark.soak
@pytest.mark.parametrize("shift", [4, 6])
def test_random_perf_events_do_not_hang_a_slow_machine(boot, image, shift):
    """An instruction takes 16 or 64 ns: clocks may want to come more often than their interrupts can end."""
    machine = boot(cpus=2, mem="512M", initrd=str(image), icount=True, shift=shift)
    for number in range(10):
        fuzz_perf(machine, 2, number)
        assert not BAD.search(machine.text), machine.says


@pytest.mark.soak
def test_ten_minutes_of_random_perf_events_leave_no_event_and_no_page(boot, image):
    machine = boot(cpus=8, mem="1G", initrd=str(image))
    fuzz_perf(machine, "30s")
    before = free_kb(machine)
    for number in range(1, ROUNDS + 1):
        print(fuzz_perf(machine, f"{SECONDS_OF_SOAK // ROUNDS}s", number))
    wait_for_memory(machine, before, 8 * SLACK)
    assert not BAD.search(machine.text), machine.says


# ---- floods: what a user makes the kernel print or send does not take a CPU from the others ----

@pytest.fixture
def flooded(boot, image):
    """With icount an instruction takes a nanosecond, so what a real-time task waits for is exact."""
    return boot(cpus=1, icount=True, initrd=str(image))


def uart(machine):
    """Interrupts of the console so far, and the machine's time in seconds, read after it."""
    text = machine.check("grep ttyS0 /proc/interrupts; cat /proc/uptime")
    return int(re.search(r"4: +(\d+)", text).group(1)), float(text.splitlines()[1].split()[0])


IRQS_A_SECOND = 32 * 100  # UART_IRQS_MAX in UART_IRQ_WINDOW_NS


def late_us(output):
    return int(re.search(r"late by (\d+) us", output).group(1))


def test_programs_that_crash_without_end_print_ten_reports_and_delay_no_real_time_task(flooded):
    output = flooded.check("floods crash")
    assert 0 < output.count("segfault at 10 ip") <= 10
    assert late_us(output) < 15
    flooded.check("sleep 6")
    assert re.search(r"send_fault: \d\d+ callbacks suppressed", flooded.check("floods crash"))
    assert not BAD.search(flooded.text), flooded.says


def test_perf_events_of_a_user_delay_no_real_time_task(flooded):
    """Each is started and stopped at a switch, with interrupts off: 4,093 of them delayed it by 2,082 us."""
    assert late_us(flooded.check("floods perf")) < 100


def test_a_clock_that_takes_no_sample_leaves_the_cpu_to_its_program_on_a_slow_machine(boot, image):
    """An instruction takes 64 ns. The program came to none between most of the interrupts, because only samples were limited."""
    output = boot(cpus=1, icount=True, shift=6, initrd=str(image)).check("floods clock")
    without, with_it = map(int, re.search(r"(\d+) us of work take (\d+) us", output).groups())
    assert with_it < 2 * without


def test_output_without_end_leaves_the_cpu_of_its_interrupt_to_others(flooded):
    """Before the task of the port took over, the UART interrupted for each 16 bytes, and the real-time task was late by 400 us."""
    irqs, since = uart(flooded)
    output = flooded.check("floods tty")
    assert output.count("y") > 100_000
    assert late_us(output) < 100
    now, until = uart(flooded)
    assert now - irqs <= IRQS_A_SECOND * (until - since) + 32


def test_input_without_end_leaves_the_cpu_of_its_interrupt_to_others(flooded):
    flooded.send("stty raw -echo; echo rea''dy; floods quiet > /tmp/late & head -c 200000 | wc -c; stty sane; wait\n")
    flooded.expect("ready")
    flooded.send("y" * 200_000)
    flooded.expect("200000")
    flooded.wait_prompt()
    assert late_us(flooded.check("cat /tmp/late")) < 100


def test_timers_of_cpu_time_keep_interrupts_off_no_longer_when_a_program_has_many_and_many_threads(boot, image):
    """With -icount a microsecond is a thousand instructions."""
    machine = boot(cpus=1, icount=True, initrd=str(image))
    machine.check("cd /sys/kernel/tracing; echo 0 > options/function-trace; echo irqsoff > current_tracer")
    for timers, threads in ((200, 1), (200, 50), (50, 200)):
        text = machine.check(f"cpu_timers {timers} {threads}")
        longest = {what: int(us) for what, us in re.findall(r"^(waiting|due|taking) (\d+)$", text, re.M)}
        assert longest.keys() == {"waiting", "due", "taking"} and max(longest.values()) <= 10, text
        assert f"fired {timers}" in text.splitlines()
