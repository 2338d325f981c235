"""Files: paths, links, permissions, redirection targets, devices, mounts."""
import re
import subprocess

import pytest

from nop5 import ROOT, eventually, kill, tasks


@pytest.fixture
def directory(nop5):
    """A new directory. It is the current directory during the test, and is removed afterwards."""
    nop5.check("mkdir /tmp/t")
    nop5.check("cd /tmp/t")
    yield nop5
    nop5.check("cd /")
    nop5.check("rm -r /tmp/t")


def test_a_file_keeps_what_was_written(directory):
    directory.check("echo one > f; echo two >> f")
    assert directory.check("cat f") == "one\ntwo\n"
    directory.check("echo three > f")
    assert directory.check("cat f") == "three\n"
    assert directory.check("cat < f") == "three\n"


def test_dots_in_paths_walk_up_and_stay(directory):
    directory.check("mkdir a")
    directory.check("mkdir a/b")
    directory.check("echo x > a/b/f")
    assert directory.check("cat ./a/../a/b/./f") == "x\n"
    directory.check("cd a/b/..")
    assert directory.check("pwd") == "/tmp/t/a\n"
    assert directory.directory == "/tmp/t/a"
    directory.check("cd /../..")
    assert directory.check("pwd") == "/\n"


@pytest.mark.parametrize("command, message", [
    ("cat nothing", "cat: can't open 'nothing': No such file or directory"),
    ("cat nothing/below", "cat: can't open 'nothing/below': No such file or directory"),
    ("cat /tmp", "cat: read error: Is a directory"),
    ("cd /proc/version", "cd: can't cd to /proc/version: Not a directory"),
    ("cd /nowhere", "cd: can't cd to /nowhere: No such file or directory"),
    ("mkdir /tmp", "mkdir: can't create directory '/tmp': File exists"),
    ("rmdir /tmp/t/full", "rmdir: '/tmp/t/full': Directory not empty"),
    ("rm /tmp/t/full", "rm: '/tmp/t/full' is a directory"),
    ("rmdir /tmp/t/full/f", "rmdir: '/tmp/t/full/f': Not a directory"),
    ("mkdir /proc/x", "mkdir: can't create directory '/proc/x': "),
    ("ls nothing", "ls: nothing: No such file or directory"),
])
def test_a_bad_path_is_named_with_its_error(directory, command, message):
    directory.check("mkdir full")
    directory.check("echo > full/f")
    result = directory.run(command)
    assert result.status == (2 if command.startswith("cd") else 1)
    assert any(message in line for line in result.lines), result.output


@pytest.mark.parametrize("target, text", [("/nowhere/f", "nonexistent directory"), ("/tmp", "Is a directory"),
                                          ("/proc/version", "")])
def test_a_redirection_that_cannot_be_opened_fails_the_command(nop5, target, text):
    result = nop5.run(f"echo x > {target}")
    assert result.status != 0 and text in result.output
    assert "sh: " in result.output


def test_ls_l_shows_types_permissions_and_sizes(directory):
    directory.check("echo 12345 > file")
    directory.check("mkdir dir")
    lines = directory.check("ls -l").splitlines()
    assert any(re.match(r"-rw-r--r-- .* 6 .*\bfile$", l) for l in lines), lines
    assert any(re.match(r"drwxr-xr-x .*\bdir$", l) for l in lines), lines
    listing = directory.check("ls -l /dev")
    for name, number in {"null": "1, *3", "zero": "1, *5", "console": "5, *1", "kmsg": "1, *11", "ttyS0": "4, *64", "ttyS1": "4, *65", "ttyS2": "4, *66"}.items():
        assert re.search(rf"^c\S+ .*{number} .*\b{name}$", listing, re.M), name


def test_a_removed_file_is_gone_and_its_memory_is_back(directory):
    def used():
        text = directory.check("cat /proc/meminfo")
        return int(re.search(r"MemFree: +(\d+)", text).group(1))

    for _ in range(2):  # the first round fills caches
        before = used()
        directory.check("cat /proc/kallsyms /proc/kallsyms /proc/kallsyms /proc/kallsyms > big")
        size = int(directory.check("wc big").split()[2]) >> 10
        during = used()
        directory.check("rm big")
        after = used()
    assert before - during >= size * 0.9
    assert before - after < size * 0.5
    assert directory.run("cat big").status == 1


def test_null_swallows_and_ends_and_zero_is_zeros(nop5):
    nop5.check("cat /proc/kallsyms > /dev/null")
    assert nop5.check("cat /dev/null") == ""
    nop5.check("head -c 1000000 /dev/zero > /tmp/zeros")
    # One line of zeros, then `*` for all equal lines.
    assert re.match(r"0+ +(00 +){16} *\|\.{16}\|\n\*\n0*f4240\n", nop5.check("hexdump -C /tmp/zeros"))
    nop5.check("rm /tmp/zeros")


def test_kmsg_takes_a_message_into_the_log(nop5):
    nop5.check("echo '<6>a line through kmsg' > /dev/kmsg")
    assert re.search(r"^\[ *\d+\.\d{6}\] a line through kmsg$", nop5.check("dmesg"), re.M)


def test_a_message_is_written_beside_a_reader_of_the_same_open_file(nop5):
    """The writer waited, and could not be killed, until another message came."""
    nop5.check("exec 3<>/dev/kmsg; cat <&3 > /tmp/read & until grep -q 'State:.S' /proc/$!/status; do :; done")
    nop5.check("echo '<6>beside a reader' >&3; until grep -q ';beside a reader' /tmp/read; do :; done")
    nop5.check("kill $!; exec 3>&-; rm /tmp/read")


@pytest.mark.parametrize("size", [833, 960, 992])
def test_kmsg_records_the_whole_message(nop5, size):
    text = "".join(f"{i:04}" for i in range(250))[:size]
    nop5.check(f"echo -n {text} > /dev/kmsg")
    assert f"] {text}\n" in nop5.check("dmesg")


def test_kmsg_refuses_a_message_that_is_too_long_as_linux_does(nop5):
    assert nop5.run(f"echo -n {'x' * 993} > /dev/kmsg").status != 0
    assert "xxx" not in nop5.check("dmesg")


def test_tracefs_is_mounted_and_linked(nop5):
    assert nop5.run("cd /sys/kernel/tracing").status == 0
    assert nop5.check("pwd").strip() == "/sys/kernel/tracing"
    nop5.check("cd /sys/kernel/debug/tracing")
    a = nop5.check("ls /sys/kernel/tracing")
    assert nop5.check("ls /sys/kernel/debug/tracing") == a
    nop5.check("cd /")


def test_mounts_name_their_types(nop5):
    text = nop5.run("cat /proc/mounts")
    assert text.status == 0
    for kind, where in (("proc", "/proc"), ("tracefs", "/sys/kernel/tracing"), ("debugfs", "/sys/kernel/debug")):
        assert re.search(rf"^\S+ {where} {kind} ", text.output, re.M)


def test_a_recursive_bind_copies_a_deep_tree_of_mounts(directory):
    directory.check("mkdir a x; mount -t tmpfs t a; mkdir a/b; for i in $(seq 150); do mount -t tmpfs t a/b; done; echo deep > a/b/file")
    assert directory.check("mount --rbind a x; cat x/b/file; grep -c /x/b /proc/mounts") == "deep\n150\n"
    directory.check("for m in x/b a/b; do for i in $(seq 150); do umount $m; done; done; umount x a; rmdir a x")


def test_tables_of_sparse_files_in_tmpfs_take_at_most_half_of_its_size(directory):
    """n pages, one in each GiB, need 2 * n + 1 tables. The write that would begin with more than 32 tables fails."""
    directory.check("mkdir m; mount -t tmpfs -o size=256k none m")
    fill = "i=0; while [ $i -lt 60 ] && echo | dd of=m/f bs=1M seek=$((i * 1024)) conv=notrunc 2>/dev/null; do i=$((i + 1)); done; " \
           "stat -c %b m/f; df -k m | tail -1 | tr -s ' ' | cut -d' ' -f3"
    for empty in ("truncate -s 0 m/f", "rm m/f"):
        assert directory.check(fill) == f"{16 * 8}\n{16 * 4}\n"
        directory.check(empty)
    # The tables are freed, too, so all of the size is left for pages.
    assert directory.run("dd if=/dev/zero of=m/f bs=4k").status
    assert directory.check("stat -c %s m/f") == f"{256 << 10}\n"
    directory.check("umount m; rmdir m")


def test_a_file_that_is_read_while_it_is_removed_stays_readable(directory):
    directory.check("cat /proc/kallsyms > f")
    lines = int(directory.check("wc f").split()[0])
    directory.check("echo 'sleep 1000; cat > copy' > later")
    directory.run("cat < f | sh later &")
    # cat has its name only after the shell has opened f. Then it fills the pipe.
    eventually(lambda: tasks(directory, "cat") and tasks(directory, "sleep"))
    directory.check("rm f")
    kill(directory, "sleep")
    directory.run("wait")
    assert int(directory.check("wc copy").split()[0]) == lines


def test_a_lock_costs_the_same_beside_ten_thousand_others(boot, images):
    """On another file, and on the same one. With icount, the time is a number of instructions."""
    program, archive = images / "test/lock_cost", images / "test/lock_cost.cpio"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["musl-gcc", "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-result", "-o", program,
                    ROOT / "tests/boot/data/lock_cost.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    machine = boot(cpus=1, icount=True, initrd=str(archive))
    tenths = re.findall(r"^(another|the same) file: (\d+)$", machine.check("cd /tmp; lock_cost"), re.M)
    assert [which for which, _ in tenths] == ["another", "the same"] and all(int(n) < 20 for _, n in tenths), tenths
