"""The tests of lab 20: error paths of system calls, which failures of allocations visit one by one."""
import errno
import re

from lab_test import expect

ROUNDS = 12
SETTINGS = "for d in failslab fail_page_alloc; do cd /sys/kernel/debug/$d; echo N > ignore-gfp-wait; echo 0 > verbose; done; cd /"
COUNTS = "sleep 1; cat /proc/slabinfo"  # what grace periods and workers free goes within the second
# The errors that a caller may see if memory is short, by the manual pages and Linux. All others: ENOMEM.
ERRORS = {"pipe": {"ENOMEM", "ENFILE"}, "fork": {"ENOMEM", "EAGAIN"}, "timer_create": {"EAGAIN"}, "mkdir": {"ENOMEM", "ENOSPC"}, "open": {"ENOMEM", "ENOSPC"}}


def counted(answer):
    """{cache: its objects}."""
    return {match[1]: int(match[2]) for match in re.finditer(r"^(\S+) +(\d+) +\d+ +\d+ ", answer.text, re.M)}


def judge(call, answer):
    """What the program says of one call: each allocation failed with an error that is right, and no descriptor is lost."""
    errors = [int(error) for error in re.findall(rf"^{call} \d+ error (-?\d+)$", answer.text, re.M)]
    expect(re.search(rf"^{call} \d+ ok$", answer.text, re.M), f"{call} to work when no allocation fails any more", answer.text[-300:])
    expect(errors, f"allocations of {call} that fail", "none")
    names = {errno.errorcode.get(error, "no error") for error in errors}
    wrong = names - ERRORS.get(call, {"ENOMEM"})
    expect(not wrong, f"only {' or '.join(sorted(ERRORS.get(call, {'ENOMEM'})))} from {call} if memory is short", ", ".join(sorted(wrong)))
    lost = re.search(rf"^{call} descriptors (\d+)$", answer.text, re.M)
    expect(not lost, f"the same descriptors free after the failures of {call}", f"{lost[1]} that are lost" if lost else "")
    expect("fork limited\n" not in answer.text, "only processes that were born to count", "EAGAIN below the user's limit (RLIMIT_NPROC)")


def visit(lab, *calls, build=None):
    """Visits all error paths of the calls. Returns what the kernel has said meanwhile."""
    directory = lab.build / "lab20"
    lab.run("rm", "-rf", directory)
    lab.guest_program("lab20_calls.c", directory / "lab")
    program = f"/lab/lab20_calls {{}} {' '.join(calls)}"
    *_, before, answer, after, log = lab.boot(SETTINGS, program.format(1), COUNTS, program.format(ROUNDS), COUNTS, "dmesg", initrd=lab.rootfs(directory), build=build,
                                             icount=True)
    for call in calls:
        judge(call, answer)
    before, after = counted(before), counted(after)
    grown = [f"{after[cache] - before[cache]} more of {cache}" for cache in after if after[cache] - before[cache] >= ROUNDS]
    expect(not grown, f"as many objects after {ROUNDS} visits of each error path as before", ", ".join(grown))
    return log


def test_boots(lab):
    release, = lab.boot("uname -s", cpus=4)
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_pipe(lab):
    visit(lab, "pipe")


def test_fork(lab):
    visit(lab, "fork")


def test_twice(lab):
    log = visit(lab, "pipe", "fork", build=lab.rebuild("DEBUG=1"))
    said = re.search(r"BUG .*", log.text)
    expect(not said, "a build with DEBUG=1 to say nothing", said and said[0])
