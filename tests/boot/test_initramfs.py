"""The initramfs: archives that the boot loader hands over become the root file system."""
import gzip
import os
import re
import subprocess

import pytest

from nop5 import EXIT_PANIC, ROOT, host


def pack(directory, archive, form="newc"):
    """Pack a directory with cpio, which is no part of nop5."""
    names = subprocess.run(["find", "."], cwd=directory, check=True, stdout=subprocess.PIPE).stdout
    with open(archive, "ab") as output:
        subprocess.run(["cpio", "--quiet", "-o", "-H", form], cwd=directory, check=True, input=names, stdout=output)


@pytest.fixture
def archive(tmp_path):
    """An archive with a shell, behind which the tests add their own."""
    path = tmp_path / "root.cpio"
    subprocess.run([ROOT / "scripts/rootfs", path], check=True, stdout=subprocess.DEVNULL)
    return path


@pytest.fixture
def tree(tmp_path):
    """A directory with one of each kind."""
    root = tmp_path / "tree"
    (root / "etc").mkdir(parents=True)
    (root / "etc/motd").write_text("welcome\n")
    (root / "etc/motd").chmod(0o640)
    os.chown(root / "etc/motd", 1000, 100)
    os.utime(root / "etc/motd", (0, 86400))
    (root / "big").write_bytes(b"0123456789abcdef" * 20000)
    os.link(root / "etc/motd", root / "second")
    os.symlink("etc/motd", root / "link")
    os.mkfifo(root / "fifo", 0o600)
    (root / "sticky").mkdir()
    (root / "sticky").chmod(0o1777)
    return root


def test_all_kinds_of_files_keep_contents_modes_and_owners(boot, tree, archive):
    pack(tree, archive)
    machine = boot(initrd=str(archive))
    assert machine.check("cat /etc/motd") == "welcome\n"
    assert machine.check("cat /link") == "welcome\n"
    listing = machine.check("ls -l /")
    assert "link -> etc/motd" in listing
    assert "prw-------" in listing
    machine.check("echo more >> /second")
    assert machine.check("cat /etc/motd") == "welcome\nmore\n"
    assert "320000" in machine.check("wc /big")
    assert machine.check("stat -c '%u %g %a %Y' /second").split()[:3] == ["1000", "100", "640"]
    # The file systems of the kernel come on top.
    assert "trace_pipe" in machine.check("ls /sys/kernel/tracing")


def test_several_archives_come_one_after_another(boot, tree, archive):
    pack(tree, archive)
    (tree / "etc/motd").write_text("second archive\n")
    (tree / "new").write_text("new\n")
    pack(tree, archive, form="crc")
    machine = boot(initrd=str(archive))
    assert machine.check("cat /new") == "new\n"
    assert machine.check("cat /etc/motd") == "second archive\n"


def test_a_broken_archive_is_reported_and_the_rest_is_kept(boot, tree, archive):
    pack(tree, archive)
    with open(archive, "ab") as output:
        output.write(b"no archive")
    machine = boot(initrd=str(archive))
    assert "initramfs: the archive ends inside a header" in machine.text
    assert machine.check("cat /etc/motd") == "welcome\n"


def test_archives_that_are_compressed_with_gzip(boot, tree, archive):
    """Linux takes them, too: compressed or not, in any order, with zeros between."""
    compressed = archive.with_suffix(".gz")
    compressed.write_bytes(gzip.compress(archive.read_bytes()))
    pack(tree, compressed)
    (tree / "etc/motd").write_text("third archive\n")
    pack(tree, archive.with_suffix(".third"))
    with open(compressed, "ab") as output:
        output.write(bytes(512) + gzip.compress(archive.with_suffix(".third").read_bytes(), 1) + bytes(100))
        output.write(bytes.fromhex("28b52ffd") + b"more")
    machine = boot(initrd=str(compressed), append="ro rootwait rootfstype=ext4 left=over word")
    assert machine.check("cat /etc/motd") == "third archive\n"
    assert "initramfs: an archive is compressed with zstd." in machine.text
    # Words of the kernel do not reach the first program. busybox overwrites its arguments, but not their length.
    assert machine.check("tr '\\0' ' ' < /proc/1/environ") == "HOME=/ TERM=linux left=over "
    assert machine.check("wc -c < /proc/1/cmdline") == f"{len('/init word ')}\n"
    assert machine.check("stat -c '%a' /dev/shm") == "1777\n"


def test_its_memory_is_freed(boot, archive, tmp_path):
    (tmp_path / "large").mkdir()
    (tmp_path / "large/zeros").write_bytes(bytes(30 << 20))
    free = {}
    for name in ("small", "large"):
        if name == "large":
            pack(tmp_path / name, archive)
        machine = boot(initrd=str(archive))
        if name == "large":
            machine.check("rm /zeros")
        free[name] = int(re.search(r"MemFree: +(\d+)", machine.check("cat /proc/meminfo")).group(1))
        machine.close()
    assert abs(free["small"] - free["large"]) < 2048, free


def test_grub_hands_it_over(images, boot, tree, archive, tmp_path):
    pack(tree, archive)
    iso = tmp_path / "nop5.iso"
    subprocess.run([ROOT / "scripts/mkiso", images / "nop5.elf", iso], check=True, env=dict(os.environ, INITRD=str(archive)))
    machine = boot(boot="iso", build=tmp_path)
    assert machine.check("cat /etc/motd") == "welcome\n"


def panic_of(boot, **arguments):
    """The lines from the report of the root device to the panic, of a machine that finds no first program."""
    machine = boot(cpus=1, wait=False, **arguments)
    machine.wait_exit(EXIT_PANIC)
    return re.search(r"] (VFS: Cannot open root device .*)\n.*Kernel panic - not syncing: (.*)\n", machine.text).groups()


PANIC = ("VFS: Unable to mount root fs on unknown-block(0,0). `make rootfs` builds an initramfs, `make run ROOTFS=FILE` boots "
         "with another one, and QEMU takes it with -initrd FILE. It must contain ")


def test_without_an_initramfs_the_panic_says_how_to_get_one(boot):
    assert panic_of(boot, initrd="") == ('VFS: Cannot open root device "(null)" or unknown-block(0,0): error -6', PANIC + "/init")


@pytest.mark.parametrize("append, device, program", [
    ("rdinit=/no/such", "(null)", "/no/such"), ("rdinit=/no/such root=/dev/sda1 rw", "sda1", "/no/such"),
    ("rdinit=/no/such root=LABEL=x init=/bin/sh", "LABEL=x", "/no/such")])
def test_without_its_first_program_the_kernel_mounts_the_device_of_root_as_linux_does(boot, append, device, program):
    """And fails, because there is none. init= names a program of that device, so it does not help, as on Linux."""
    assert panic_of(boot, append=append) == (
        f'VFS: Cannot open root device "{device}" or unknown-block(0,0): error -6', PANIC + program)


def test_root_does_not_matter_to_an_initramfs_with_a_first_program(boot):
    machine = boot(cpus=1, append="root=/dev/sda1")
    assert "VFS:" not in machine.text
    assert "root=" not in machine.check("tr '\\0' '\\n' < /proc/1/environ")


def test_a_first_program_that_cannot_run_is_followed_by_that_of_init(boot):
    machine = boot(cpus=1, append="rdinit=/etc/profile init=/sbin/init")
    assert "Failed to execute /etc/profile (error -13)" in machine.text
    assert machine.check("cat /proc/1/comm") == "init\n"


def test_scripts_boot_reports_the_panic(images):
    result = host([ROOT / "scripts/boot", "--elf", "--initrd", "none", "echo never"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                  stderr=subprocess.PIPE)
    assert (result.returncode, result.stdout) == (3, "") and PANIC in result.stderr


def test_a_program_that_leads_to_a_missing_file_is_named(tmp_path):
    """As /usr/bin/python3 of python3-minimal, without the package that has python3.11."""
    (tmp_path / "tree/usr/bin").mkdir(parents=True)
    os.symlink("missing1.0", tmp_path / "tree/usr/bin/program")
    os.symlink("/bin/busybox", tmp_path / "tree/usr/bin/another")
    result = subprocess.run([ROOT / "scripts/rootfs", tmp_path / "root.cpio", tmp_path / "tree"], check=True, text=True, stderr=subprocess.PIPE)
    assert result.stderr == ("scripts/rootfs: /usr/bin/program leads to /usr/bin/missing1.0, which is missing: "
                             "add the package that has it, too\n")
