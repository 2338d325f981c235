"""/proc/PID as programs read it: what a process is, what it has open, where its memory is, and who may know that."""
import re
import struct

import pytest

from clones import machine_at_prompt
from nop5 import eventually


@pytest.fixture(scope="module")
def machine(images):
    machine = machine_at_prompt(build=images, cpus=2)
    machine.check("stty cols 1000")
    yield machine
    machine.close()


@pytest.fixture
def sleeper(machine):
    """The number of a process that sleeps, with arguments, an environment variable and a directory of its own."""
    machine.check("cd /tmp; COLOUR=blue sleep 1000000 7 < /etc/passwd & cd /")
    pid = machine.check("echo $!").strip()
    machine.check(f"until grep -q sleep /proc/{pid}/wchan; do :; done")
    yield pid
    machine.run(f"kill -9 {pid}; wait {pid}")


def status(machine, pid):
    return dict(line.split(":\t", 1) for line in machine.check(f"cat /proc/{pid}/status").splitlines())


def stat(machine, pid):
    """The fields of stat from the state on: [3] is the state, as proc(5) counts."""
    return ["", "", ""] + machine.check(f"cat /proc/{pid}/stat").rpartition(") ")[2].split()


def student(machine, command):
    """Run a command as the user student."""
    return machine.run(f"su student -c '{command}'").output


def test_arguments_and_environment_are_those_of_exec(machine, sleeper):
    assert machine.check(f"tr '\\0' ' ' < /proc/{sleeper}/cmdline; echo") == "sleep 1000000 7 \n"
    environ = machine.check(f"tr '\\0' '\\n' < /proc/{sleeper}/environ").splitlines()
    assert "COLOUR=blue" in environ and any(e.startswith("PATH=") for e in environ)
    # Any piece of it can be read.
    assert machine.check(f"dd if=/proc/{sleeper}/cmdline bs=1 skip=6 count=7 2> /dev/null; echo") == "1000000\n"
    assert machine.check("wc -c < /proc/2/cmdline") == "0\n"


def sched(machine, pid):
    return dict(re.findall(r"^(\S+) +: +([\d.]+)$", machine.check(f"cat /proc/{pid}/sched"), re.M))


def test_sched_counts_what_the_scheduler_has_done(machine, sleeper):
    assert machine.check(f"head -n 1 /proc/{sleeper}/sched") == f"sleep ({sleeper}, #threads: 1)\n"
    first, lines = sched(machine, sleeper), status(machine, sleeper)
    assert first["nr_voluntary_switches"] == lines["voluntary_ctxt_switches"]
    assert first["nr_involuntary_switches"] == lines["nonvoluntary_ctxt_switches"]
    assert int(first["nr_switches"]) == int(first["nr_voluntary_switches"]) + int(first["nr_involuntary_switches"])
    assert (first["policy"], first["prio"], first["se.load.weight"]) == ("0", "120", "1048576")
    assert re.fullmatch(r"\d+\.\d{6}", first["se.sum_exec_runtime"]) and float(first["se.sum_exec_runtime"]) > 0
    # A task that runs has run longer, and later, than before; each CPU that it must go to is one migration more.
    one = "for i in 1 2 3; do taskset -p 1 $$; taskset -p 2 $$; done > /dev/null; taskset -p 3 $$ > /dev/null"
    before = sched(machine, "$$")
    machine.check(one)
    after = sched(machine, "$$")
    assert int(after["se.nr_migrations"]) >= int(before["se.nr_migrations"]) + 5
    for name in "se.sum_exec_runtime", "se.exec_start":
        assert float(after[name]) > float(before[name])
    machine.check(f"renice -n 5 -p {sleeper}")
    assert (sched(machine, sleeper)["prio"], int(sched(machine, sleeper)["se.load.weight"]) < 1048576) == ("125", True)
    text = machine.check("chrt -r 7 cat /proc/self/sched /proc/self/stat")
    assert re.search(r"^policy +: +2\nprio +: +92$", text, re.M)
    assert text.rpartition(") ")[2].split()[41 - 3] == "2"


def test_stat_and_status_tell_the_same(machine, sleeper):
    fields, lines = stat(machine, sleeper), status(machine, sleeper)
    shell = machine.check("echo $$").strip()
    assert len(fields) == 53
    assert lines["Name"] == "sleep" and lines["State"] == "S (sleeping)" and fields[3] == "S"
    assert lines["Pid"] == lines["Tgid"] == sleeper
    assert fields[4] == lines["PPid"] == shell
    assert fields[5] == sleeper, "a job of the shell has a group of its own"
    assert fields[6] == shell, "the shell leads the session"
    assert fields[7] == str(4 << 8 | 64), "ttyS0"
    assert fields[20] == lines["Threads"] == "1"
    assert int(fields[23]) == int(lines["VmSize"].split()[0]) * 1024
    assert int(fields[24]) * 4 == int(lines["VmRSS"].split()[0])
    assert fields[38] == "17", "SIGCHLD"
    kinds = [int(lines[f"Rss{kind}"].split()[0]) for kind in ("Anon", "File", "Shmem")]
    assert sum(kinds) == int(lines["VmRSS"].split()[0]) > 0
    assert int(lines["VmExe"].split()[0]) > 100
    sizes = list(map(int, machine.check(f"cat /proc/{sleeper}/statm").split()))
    assert len(sizes) == 7
    assert sizes[0] * 4096 == int(fields[23]) and sizes[1] == int(fields[24])
    assert sizes[3] * 4 == int(lines["VmExe"].split()[0])


def test_the_addresses_in_stat_lie_in_the_areas_of_maps(machine, sleeper):
    fields = stat(machine, sleeper)
    areas = {}
    for line in machine.check(f"cat /proc/{sleeper}/maps").splitlines():
        match = re.fullmatch(r"([0-9a-f]{8,})-([0-9a-f]{8,}) ([r-][w-][x-][ps]) ([0-9a-f]{8}) "
                             r"([0-9a-f]{2}:[0-9a-f]{2}) (\d+) *(.*)", line)
        assert match, line
        start, end, rights, offset, device, inode, name = match.groups()
        if name:
            assert line.index(name) == 73, "the column of Linux"
        assert (device != "00:00") == (inode != "0") == name.startswith("/"), line
        areas[int(start, 16)] = (int(end, 16), rights, name)
    assert list(areas) == sorted(areas)
    assert sum(end - start for start, (end, _, _) in areas.items()) == int(fields[23])

    def area_of(address):
        return next(((rights, name) for start, (end, rights, name) in areas.items() if start <= address < end), None)

    assert area_of(int(fields[26])) == ("r-xp", "/usr/bin/busybox")
    assert area_of(int(fields[28])) == ("rw-p", "[stack]")
    assert area_of(int(fields[47])) == ("rw-p", "[heap]")
    assert area_of(int(fields[48])) == ("rw-p", "[stack]")


def test_a_large_maps_is_the_same_in_small_pieces(machine):
    whole = machine.check("cat /proc/$$/maps")
    assert machine.check("dd if=/proc/$$/maps bs=7 2> /dev/null") == whole


def test_links_name_the_objects_and_lead_to_them(machine, sleeper):
    assert machine.check(f"for l in exe cwd root; do readlink /proc/{sleeper}/$l; done") == \
        "/usr/bin/busybox\n/tmp\n/\n"
    assert machine.check(f"md5sum < /proc/{sleeper}/exe") == machine.check("md5sum < /bin/busybox")
    machine.check("echo here > /tmp/mark")
    assert machine.check(f"cat /proc/{sleeper}/cwd/mark") == "here\n"
    assert machine.run("readlink /proc/2/exe").status == 1, "a kernel task runs no program"


def test_descriptors_are_listed_and_can_be_opened_again(machine, sleeper):
    assert machine.check(f"ls /proc/{sleeper}/fd | head -n 3 | tr '\\n' ' '; echo").startswith("0 1 ")
    assert machine.check(f"readlink /proc/{sleeper}/fd/0") == "/etc/passwd\n"
    assert machine.check(f"ls -l /proc/{sleeper}/fd/0 | cut -c1-10") == "lr-x------\n"
    assert machine.run(f"ls /proc/{sleeper}/fd/77").status != 0
    assert machine.run(f"cat /proc/{sleeper}/fd/00").status != 0
    info = dict(line.split(":\t") for line in machine.check(f"cat /proc/{sleeper}/fdinfo/0").splitlines())
    assert info["pos"] == "0" and int(info["flags"], 8) & 3 == 0 and {"mnt_id", "ino"} <= set(info)
    # The file is opened at its start, also when it has no name any more.
    assert machine.check("exec 5< /tmp/../etc/hostname; read x <&5; cat /proc/self/fd/5; exec 5<&-") == \
        machine.check("cat /etc/hostname")
    assert machine.check("echo gone > /tmp/gone; exec 6< /tmp/gone; rm /tmp/gone; readlink /proc/self/fd/6; cat /dev/fd/6; "
                         "exec 6<&-") == "/tmp/gone (deleted)\ngone\n"


def test_a_pipe_can_be_opened_by_its_descriptor(machine):
    assert re.fullmatch(r"pipe:\[\d+\]\n", machine.check("true | readlink /proc/self/fd/0"))
    assert machine.check("echo through | cat /dev/stdin") == "through\n"
    assert machine.check("(echo out > /dev/stdout; echo err > /dev/stderr) 2>&1 | cat") == "out\nerr\n"
    assert machine.check("true | cat /proc/self/fd/0") == "", "without writers the file has ended"


def test_memory_can_be_read_and_written_at_its_addresses(machine, sleeper):
    start = machine.check(f"head -n 1 /proc/{sleeper}/maps").split("-")[0]
    # The first bytes of the program are "\x7fELF".
    assert machine.check(f"dd if=/proc/{sleeper}/mem bs=1 skip=$((0x{start} + 1)) count=3 2> /dev/null; echo") == "ELF\n"
    args = int(stat(machine, sleeper)[48])
    machine.check(f"printf SLEEP | dd of=/proc/{sleeper}/mem bs=1 seek={args} conv=notrunc 2> /dev/null")
    assert machine.check(f"tr '\\0' ' ' < /proc/{sleeper}/cmdline; echo") == "SLEEP 1000000 7 \n"
    assert "error" in machine.run(f"dd if=/proc/{sleeper}/mem bs=1 count=1").output, "no memory is at address 0"


def test_signals_that_are_caught_ignored_and_pending(machine):
    machine.check("(trap '' USR2; exec sleep 1000000) & until grep -q sleep /proc/$!/wchan; do :; done")
    pid = machine.check("echo $!").strip()
    lines = status(machine, pid)
    assert int(lines["SigIgn"], 16) >> 11 & 1 and not int(lines["SigIgn"], 16) >> 14 & 1
    assert int(lines["SigCgt"], 16) == 0
    shell = status(machine, "$$")
    assert int(shell["SigCgt"], 16) >> 1 & 1, "the shell catches SIGINT"
    assert int(shell["SigIgn"], 16) >> 14 & 1, "and ignores SIGTERM"
    machine.check(f"kill -STOP {pid}; until grep -q '^State:.T (stopped)' /proc/{pid}/status; do :; done")
    assert stat(machine, pid)[3] == "T"
    machine.check(f"kill -TERM {pid}")
    lines = status(machine, pid)
    assert (int(lines["SigPnd"], 16) | int(lines["ShdPnd"], 16)) >> 14 & 1
    machine.run(f"kill -CONT {pid}")
    # The shell may know that the job has stopped: then its `wait` returns at once. It reaps the process before a prompt.
    eventually(lambda: machine.run(f"cat /proc/{pid}/stat").status != 0)


def test_a_users_processes_show_him_and_are_his_own(machine, sleeper):
    machine.send("su student -c 'sleep 1000000 & echo $! > /tmp/his; wait' &\n")
    machine.wait_prompt()
    machine.check("until [ -s /tmp/his ] && grep -q sleep /proc/$(cat /tmp/his)/wchan; do :; done")
    his = machine.check("cat /tmp/his").strip()
    assert machine.check(f"ls -ld /proc/{his} | awk '{{ print $3, $4 }}'") == "student student\n"
    assert status(machine, his)["Uid"] == "1000\t1000\t1000\t1000"
    assert status(machine, his)["CapEff"] == "0" * 16
    assert re.search(rf"^ *{his} student +sleep 1000000$", machine.check("ps"), re.M)
    # He sees what everybody may see of root's process, and no more.
    assert student(machine, f"cat /proc/{sleeper}/comm") == "sleep\n"
    for name in ("environ", "maps", "fd/0", "exe", "cwd/mark", "mem", "syscall", "stack"):
        assert "Permission denied" in student(machine, f"cat /proc/{sleeper}/{name}"), name
    assert "Permission denied" in student(machine, f"ls /proc/{sleeper}/fd")
    assert student(machine, f"cut -d\" \" -f26,27,28,48 /proc/{sleeper}/stat") == "1 1 0 0\n"
    # His own process is open to him.
    assert student(machine, f"readlink /proc/{his}/exe") == "/usr/bin/busybox\n"
    assert "[stack]" in student(machine, f"cat /proc/{his}/maps")
    machine.check(f"kill {his}; while [ -d /proc/{his} ]; do :; done")


def test_the_name_can_be_changed_by_the_process_itself(machine, sleeper):
    assert machine.check("sh -c 'echo short > /proc/self/comm; read x < /proc/self/comm; echo $x'") == "short\n"
    assert machine.check("sh -c 'echo a-very-long-name-of-a-shell > /proc/$$/comm; read x < /proc/$$/comm; echo $x'") == \
        "a-very-long-nam\n"
    assert machine.run(f"echo x > /proc/{sleeper}/comm").status != 0


def test_oom_score_adj_is_kept_and_protected(machine, sleeper):
    machine.check(f"echo 300 > /proc/{sleeper}/oom_score_adj")
    assert machine.check(f"cat /proc/{sleeper}/oom_score_adj") == "300\n"
    higher = int(machine.check(f"cat /proc/{sleeper}/oom_score"))
    machine.check(f"echo -1000 > /proc/{sleeper}/oom_score_adj")
    assert machine.check(f"cat /proc/{sleeper}/oom_score") == "0\n"
    assert higher > 800
    for wrong in ("1001", "-1001", "x"):
        assert "Invalid argument" in machine.run(f"echo {wrong} > /proc/{sleeper}/oom_score_adj").output
    assert "Permission denied" in student(machine, "echo -5 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj")


def test_a_process_has_one_directory_for_each_thread(machine, sleeper):
    assert machine.check(f"ls /proc/{sleeper}/task") == f"{sleeper}\n"
    assert machine.check(f"cat /proc/{sleeper}/task/{sleeper}/comm") == "sleep\n"
    assert machine.run(f"ls /proc/{sleeper}/task/1").status != 0
    assert machine.run(f"ls /proc/{sleeper}/task/{sleeper}/task").status != 0
    assert re.fullmatch(r"(\d+)/task/\1\n", machine.check("readlink /proc/thread-self"))


def test_where_a_process_waits(machine, sleeper):
    assert re.fullmatch(r"\w*sleep\w*", machine.check(f"cat /proc/{sleeper}/wchan; echo").strip())
    assert machine.check("cat /proc/self/wchan; echo") == "0\n"
    call = machine.check(f"cat /proc/{sleeper}/syscall").split()
    assert len(call) == 9 and call[0] in ("35", "230")
    assert "entry_SYSCALL_64" in machine.check(f"cat /proc/{sleeper}/stack")


def test_limits_are_those_of_the_process(machine):
    text = machine.check("(ulimit -n 77; cat /proc/self/limits)")
    assert re.search(r"^Max open files            77                   77                   files     $", text, re.M)
    assert len(text.splitlines()) == 17


def test_mountinfo_and_mounts_name_the_same_mounts(machine):
    machine.check("mkdir -p /tmp/from/deep /tmp/to; mount -o bind /tmp/from/deep /tmp/to")
    info = [line.split() for line in machine.check("cat /proc/self/mountinfo").splitlines()]
    mounts = [line.split() for line in machine.check("cat /proc/mounts").splitlines()]
    assert [i[4] for i in info] == [m[1] for m in mounts]
    for line in info:
        assert line[6] == "-" and re.fullmatch(r"\d+:\d+", line[2])
        assert line[1] in [i[0] for i in info]
    assert info[-1][3:5] == ["/tmp/from/deep", "/tmp/to"]
    machine.check("umount /tmp/to")


def test_programs_that_show_the_system(machine, sleeper):
    assert machine.check("pidof sleep").split() == [sleeper]
    assert re.search(rf"^ *{sleeper} root +sleep 1000000 7$", machine.check("ps"), re.M)
    # A column of ps -o is one field of a file.
    assert machine.check("ps -o pid,ppid,pgid,sid,stat,tty,comm").splitlines()[1].split()[:2] == ["1", "0"]
    top = machine.check("top -b -n1")
    assert re.search(r"^Mem: \d+K used, \d+K free", top) and re.search(rf"^ +{sleeper} +\d+ root +S ", top, re.M)
    total = int(re.search(r"^MemTotal: +(\d+) kB", machine.check("cat /proc/meminfo"), re.M).group(1))
    assert abs(int(machine.check("free | grep Mem").split()[1]) - total) <= 4
    assert re.search(r"up \d+ min.*load average: \d+\.\d\d, \d+\.\d\d, \d+\.\d\d$", machine.check("uptime"), re.M)


def test_sysctls_name_the_system(machine):
    name = machine.check("hostname")
    assert machine.check("cat /proc/sys/kernel/hostname") == name
    machine.check("echo changed > /proc/sys/kernel/hostname")
    assert machine.check("hostname") == "changed\n" and machine.check("uname -n") == "changed\n"
    machine.check(f"hostname {name.strip()}")
    for file, option in (("ostype", "s"), ("osrelease", "r"), ("version", "v")):
        assert machine.check(f"cat /proc/sys/kernel/{file}") == machine.check(f"uname -{option}")
    assert machine.check("cd /proc/sys/kernel; cat pid_max ngroups_max cap_last_cap; cd /") == "32768\n65536\n40\n"


def test_addresses_are_random_unless_that_is_off(machine):
    def places():
        return re.findall(r"^([0-9a-f]+)-.*(\[heap\]|\[stack\])$", machine.check("cat /proc/self/maps"), re.M)

    assert places() != places()
    machine.check("echo 0 > /proc/sys/kernel/randomize_va_space")
    assert len(places()) == 2 and places() == places()
    machine.check("echo 1 > /proc/sys/kernel/randomize_va_space")
    first, second = places(), places()
    assert first[0] == second[0] and first[1] != second[1]
    assert machine.run("echo 3 > /proc/sys/kernel/randomize_va_space").status != 0
    machine.check("echo 2 > /proc/sys/kernel/randomize_va_space")


def program_that_says_7():
    """An ELF program of a few bytes: write(1, "7\\n", 2), and exit with 1 if that has failed. As text for printf(1)."""
    code = bytes.fromhex("b801000000 bf01000000 488d3517000000 ba02000000 0f05"  # mov eax, 1; mov edi, 1; lea rsi, [text]; mov edx, 2; syscall
                         "31ff 4885c0 400f98c7 b83c000000 0f05") + b"7\n"  # xor edi, edi; test rax, rax; sets dil; mov eax, 60; syscall
    size = 120 + len(code)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0, size, size, 4096)
    return "".join(f"\\{byte:03o}" for byte in header + segment + code)


def test_a_set_user_id_program_changes_no_file_that_its_user_has_opened(machine):
    """The write needs a capability. The program has it, and the user who has made the file its standard output does not."""
    text = program_that_says_7()
    for start in range(0, len(text), 400):
        machine.check(f"printf '{text[start:start + 400]}' >> /tmp/say")
    machine.check("chmod 4755 /tmp/say")
    assert machine.check("/tmp/say") == "7\n"
    default = machine.check("cat /proc/2/timerslack_ns")
    assert student(machine, "/tmp/say > /proc/2/timerslack_ns; echo $?") == "1\n"
    assert machine.check("cat /proc/2/timerslack_ns") == default
    raised = 'sh -c "echo 500 > /proc/self/oom_score_adj; exec /tmp/say > /proc/self/oom_score_adj"'
    assert student(machine, f"{raised}; echo $?") == "1\n"
    # Who may do that may let a program do it.
    assert machine.run("sh -c 'echo 500 > /proc/self/oom_score_adj; exec /tmp/say > /proc/self/oom_score_adj'").status == 0
    machine.check("rm /tmp/say")
