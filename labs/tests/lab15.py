"""The tests of lab 15: a sampler, and two paths of the kernel that it shows to be slow. Costs are counted in instructions (icount)."""
import re

from lab_test import expect

FILES = ("/proc/kallsyms", "/sys/kernel/tracing/available_filter_functions")
CHAINS = {"plain": "a b c", "first": "b", "end": "c b a", "markers": "a b c", "unknown": "a c", "none": "", "deep": " ".join(["a"] * 12)}
ZEROS = "dd if=/dev/zero of=/dev/null bs=1M count=200"
NAMES = 2000


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def ring(lab, step):
    return lab.run(lab.host_program("lab15_ring.c"), step, check="user/hot.c not to touch foreign memory").stdout


def numbers(text):
    """{word: number} of a line of a test program."""
    return {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", text)}


def test_ring(lab):
    for step in ("small", "large"):
        seen = numbers(ring(lab, step))
        expect(not seen["early"], "no room given back (data_tail) before its record has been used", f"{seen['early']} records")
        expect(seen["taken"] == seen["written"] and not seen["wrong"],
               f"{seen['written']} records of a ring, each whole and once", f"{seen['taken']} of them, {seen['wrong']} wrong")
        expect(not seen["left"], "all room given back", f"{seen['left']} bytes left")


def hot(lab, words, cpus=1):
    """(number of samples, number of lost ones, [(hits, function, [chains])]) of a run of hot."""
    answer, = lab.boot(f"hot {words}", cpus=cpus, icount=True)
    total = re.search(r"^(\d+) samples in the kernel, (\d+) lost$", answer.text, re.M)
    expect(total, f"a number of samples from `hot {words}`", answer.text)
    rows = []
    for line in answer.text[total.end():].splitlines():
        if row := re.match(r" *[\d.]+% +(\d+) (\S+)$", line):
            rows.append((int(row[1]), row[2], []))
        elif (row := re.match(r" +(\d+) < (.*)$", line)) and rows:
            rows[-1][2].append(row[2].split(" < "))
    return int(total[1]), int(total[2]), rows


def expect_zeros(rows, words):
    expect(rows and rows[0][1] == "__clear_user", f"__clear_user as the first function of `hot {words}`", rows[:1])


def test_samples(lab):
    words = f"-p 500 {ZEROS}"
    often, lost, rows = hot(lab, words)
    expect_zeros(rows, words)
    expect(often > 20 and not lost, f"more than 20 samples of `hot {words}`, and none lost", f"{often}, {lost} lost")
    words = f"-p 50 {ZEROS}"
    oftener, _, _ = hot(lab, words)
    expect(8 * often < oftener < 12 * often, f"ten times {often} samples with a tenth of the period", oftener)
    words = f"-p 500 sh -c '{ZEROS}; true'"
    below, _, rows = hot(lab, words)
    expect_zeros(rows, words)
    expect(below > often // 2, f"about {often} samples of a child, too", below)
    words = f"-p 500 taskset -c 1 {ZEROS}"
    other, _, rows = hot(lab, words, cpus=2)
    expect_zeros(rows, words)
    expect(other > often // 2, f"about {often} samples of a program on CPU 1, too", other)


def test_callers(lab):
    for line in ring(lab, "chains").splitlines():
        name, _, chain = line.partition(":")
        expect(chain.strip() == CHAINS[name], f"the chain `{CHAINS[name]}` for the sample `{name}` of labs/tests/lab15_ring.c", chain or "none")
    words = f"-g -p 500 {ZEROS}"
    _, _, rows = hot(lab, words)
    expect_zeros(rows, words)
    chain = (rows[0][2] or [[]])[0]
    expect(chain[-4:] == ["vfs_read", "ksys_read", "__x64_sys_read", "entry_SYSCALL_64_after_hwframe"],
           f"the system call as the end of the first chain of `hot {words}`", chain)


def costs(lab, *commands):
    """What lab15_cost says of each of these tasks."""
    root = lab.build / "lab15"
    lab.run("rm", "-rf", root)
    lab.guest_program("lab15_cost.c", root / "lab")
    answers = lab.boot(*(f"/lab/lab15_cost {command}; rm -rf /tmp/cost" for command in commands), initrd=lab.rootfs(root), cpus=1, icount=True)
    for command, answer in zip(commands, answers):
        expect(re.match(r"\w+ \d+", answer.text), f"numbers from `lab15_cost {command}`", answer.text)
    return [numbers(answer.text) for answer in answers]


def test_reads(lab):
    for file in FILES:
        small, large, places = costs(lab, f"reads {file} 4096", f"reads {file} 1000000", f"places {file}")
        expect(small["hash"] == large["hash"] and small["bytes"] == places["bytes"], f"the same text of {file} from reads of any size",
               f"{small['bytes']}, {large['bytes']} and {places['bytes']} bytes")
        expect(not places["wrong"], f"the text of 200 places of {file} (pread, lseek), and of its beginning with 400 descriptors",
               f"{places['wrong']} errors")
        for size, seen in ((4096, small), (1000000, large)):
            expect(seen["all"] < 1.5 * seen["number"] * seen["first"], f"{seen['number']} reads of {file} in pieces of {size} to cost "
                   f"{seen['number']} times as much as the first one, {seen['first']} instructions", seen["all"])


def expect_found(lab, kind, cheap, *others, factor=2.5):
    """Files with the names `others` are found for about as much as those with the names `cheap`."""
    base, *rest = costs(lab, *(f"{kind} {name} {NAMES}" for name in (cheap, *others)))
    for name, seen in zip((cheap, *others), (base, *rest)):
        expect(not seen["wrong"], f"all {NAMES} files, and no other one, to be found ({kind} {name})", f"{seen['wrong']} errors")
        expect(seen["cost"] < factor * base["cost"], f"about {base['cost']} instructions to find {NAMES} files ({kind} {name})", seen["cost"])


def test_names(lab):
    word = "".join(lab.random.choices("abcdefghij", k=9))
    expect_found(lab, "names", "%08d", f"%06d.{word}.example.org", f"{word}-%06d-of-{word}.text", f"a-{word}-with-a-long-{word}-%06d")
