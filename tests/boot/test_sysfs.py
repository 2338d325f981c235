"""/sys: the CPUs, their caches and the nodes as Linux shows them on the same machine, and the build ids of the kernel and the vDSO."""
import re
import sys

import pytest

from nop5 import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from elf import Elf  # noqa: E402

SYSTEM = "/sys/devices/system"
# lscpu, numactl and perf read these; nop5 has no clusters and no events of devices.
FILES = ("cpu/cpu*/online cpu/smt/* cpu/cpu*/topology/* cpu/cpu*/cache/*/* "
         "node/has* node/online node/possible node/node0/cpulist node/node0/cpumap node/node0/distance")
DATA = ROOT / "tests/boot/data/linux_topology.txt"


def linux():
    """The files of each machine, by QEMU's arguments: {arguments: {file: text}}."""
    machines = {}
    for line in DATA.read_text().splitlines()[1:]:
        if line.startswith("# "):
            files = machines.setdefault(line[2:], {})
        else:
            file, _, text = line.partition(":")
            files[file] = text
    return machines


LINUX = linux()


@pytest.mark.parametrize("arguments", LINUX, ids=lambda arguments: arguments.split()[1])
def test_cpus_caches_and_nodes_are_those_that_linux_shows(boot, arguments):
    _, cpu, _, smp = arguments.split()
    machine = boot(cpu=cpu, cpus=int(smp.partition(",")[0]), extra=["-smp", smp])
    text = machine.check(f"cd {SYSTEM}; grep -H '' {FILES}; cd /")
    files = dict(line.split(":", 1) for line in text.splitlines())
    theirs = LINUX[arguments]
    some = {file.split("/")[1] for file in theirs}  # the CPUs of which the data has the files
    assert {file: text for file, text in files.items() if file.split("/")[1] in some} == theirs


def test_cpus_and_their_node_are_linked_to_each_other(nop5):
    assert nop5.check(f"readlink {SYSTEM}/cpu/cpu2/node0; readlink {SYSTEM}/node/node0/cpu2; cat {SYSTEM}/node/node0/cpu3/node0/cpulist") == \
        "../../node/node0\n../../cpu/cpu2\n0-3\n"
    assert nop5.check(f"cd {SYSTEM}; ls -d cpu/cpu[0-9]* node/node0/cpu[0-9]*; cd /").split() == \
        [f"{folder}/cpu{cpu}" for folder in ("cpu", "node/node0") for cpu in range(4)]


def test_no_cpu_can_be_switched_off_and_the_first_has_no_file_for_it(nop5):
    for file in ("cpu/cpu1/online", "cpu/smt/control", "node/online"):
        refused = nop5.run(f"echo 0 > {SYSTEM}/{file}")
        assert refused.status == 1 and "Permission denied" in refused.output, file
    assert nop5.run(f"cat {SYSTEM}/cpu/cpu0/online").status == 1


def test_the_node_has_all_memory(nop5):
    text = nop5.check(f"cat {SYSTEM}/node/node0/meminfo; grep MemTotal /proc/meminfo")
    *lines, total = text.splitlines()
    assert all(re.fullmatch(r"Node 0 \w+: +\d+ kB", line) for line in lines), text
    node = {name: int(kb) for name, kb in re.findall(r"^Node 0 (\w+): +(\d+) kB", text, re.M)}
    assert f"Node 0 {total}" == lines[0]
    assert node["MemFree"] + node["MemUsed"] == node["MemTotal"] and node["Shmem"] == node["FilePages"]


@pytest.mark.parametrize("kernel", ["nop5", "nop5_test"])
def test_the_build_id_of_the_running_kernel_is_that_of_its_file(kernel, request):
    machine = request.getfixturevalue(kernel)
    of_file = Elf(machine.elf).build_id_note()
    assert of_file[:16] == bytes.fromhex("04000000 14000000 03000000 474e5500") and len(of_file) == 36
    mode_and_size, *digits = machine.check("stat -c %a:%s /sys/kernel/notes; xxd -p /sys/kernel/notes").split()
    assert mode_and_size == "444:36" and "".join(digits) == of_file.hex()


def test_the_vdso_has_a_build_id(images):
    assert len(Elf(images / "vdso.so").build_id_note()) == 36
