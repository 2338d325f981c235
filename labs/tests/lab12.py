"""The tests of lab 12: the numbers and pointers that programs pass, scripts, ELF files, and set-user-ID programs."""
import struct

from lab_test import expect

CALLS = "lab12_calls"
SIGSEGV_STATUS = 128 + 11
# exit(42); a read; a write to the program's own text, then exit(42); a jump into the data, which holds exit(42)
EXIT = bytes.fromhex("b83c000000 bf2a000000 0f05")
READ_DATA = bytes.fromhex("8a042510104000")  # of the second segment
WRITE_TEXT = bytes.fromhex("c604250000400090") + EXIT
BASE, PAGE = 0x400000, 4096
READ, WRITE, EXECUTE = 4, 2, 1


def run(lab, *commands, files=None, **options):
    """Boot with the program lab12_calls and these files {name: bytes} in /lab, and type the commands there."""
    root = lab.build / "lab12"
    lab.run("rm", "-rf", root)
    lab.guest_program(f"{CALLS}.c", root / "lab")
    for name, content in (files or {}).items():
        path = root / "lab" / name
        path.write_bytes(content)
        path.chmod(0o755)
    return lab.boot("cd /lab", *commands, initrd=lab.rootfs(root), **options)[1:]


def results(answer):
    """[(name, result)] of what lab12_calls prints."""
    return [tuple(line.rsplit(" ", 1)) for line in answer.lines]


def segment(code, *, vaddr=BASE, offset=0, rights=READ | EXECUTE, filesz=None, memsz=None):
    size = len(code) + offset if filesz is None else filesz
    return (1, rights, offset, vaddr, vaddr, size, size if memsz is None else memsz, PAGE)


def elf(code, *headers, entry=None):
    """An ELF program for x86_64 with these program headers; without one, a segment with the whole file."""
    start = 64 + 56 * max(len(headers), 1)
    headers = headers or (segment(b"", filesz=start + len(code)),)
    image = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, entry or BASE + start, 64, 0, 0, 64, 56,
                                                                  len(headers), 0, 0, 0)
    return image + b"".join(struct.pack("<IIQQQQQQ", *header) for header in headers) + code


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_numbers(lab):
    answer, = run(lab, f"./{CALLS} numbers")
    for name, result in results(answer):
        wanted = "ok" if name in ("upper", "getpid") else "ENOSYS"
        what = "getpid with 7 in the upper half of rax, which does not count" if name == "upper" else name
        expect(result == wanted, f"{wanted} for the system call {what}", result)
    expect(answer.lines[-1:] == ["getpid ok"], "a program that goes on after calls which do not exist", answer.text)
    lab.selftest("ring3.a_system_call_keeps_registers_and_flags")


def test_getcpu(lab):
    answer, = run(lab, f"./{CALLS} cpus", cpus=2)
    wanted = ["getcpu ok", "cpu 0 node 0", "getcpu ok", "cpu 1 node 0", "no cpu ok", "bad cpu EFAULT", "bad node EFAULT",
              "kernel cpu EFAULT", "bad cache ok"]
    for line, seen in zip(wanted, answer.lines + [""] * len(wanted)):
        expect(seen == line, f"`{line}`", seen or "nothing")


def test_faults(lab):
    answer, = run(lab, f"./{CALLS} faults")
    for name, result in results(answer):
        wanted = "ok" if name in ("whole", "alive") else "EFAULT"
        expect(result == wanted, f"{wanted} for {name}", result)
    expect(answer.lines[-1:] == ["alive ok"], "a program that goes on after it has passed bad addresses", answer.text)
    lab.selftest("uaccess.a_copy_says_how_many_bytes_are_missing")
    lab.selftest("uaccess.a_copy_closes_user_memory_also_after_a_fault")


def test_script(lab):
    files = {"plain": f"#!/lab/{CALLS}\nbody\n".encode(), "spaces": f"#! \t/lab/{CALLS}  -x  y \t\nbody\n".encode(),
             "nested": b"#!/lab/plain deep\n", "no_newline": f"#!/lab/{CALLS} end".encode(),
             "tab": f"#!/lab/{CALLS}\t-x\n".encode(), "comment": f"# /lab/{CALLS}\n".encode()}
    answers = run(lab, "./plain one 'two words'", "./spaces one", "./nested one", "./no_newline", "cp plain copy; ./copy", "./tab",
                  "env ./comment", f"./{CALLS} closed", files=files)
    program = f"/lab/{CALLS}"
    for answer, words in zip(answers, ([program, "./plain", "one", "two words"], [program, "-x  y", "./spaces", "one"],
                                       [program, "/lab/plain", "deep", "./nested", "one"], [program, "end", "./no_newline"],
                                       [program, "./copy"], [program, "-x", "./tab"])):
        expect(answer.lines == [f"[{word}]" for word in words], f"the interpreter to get the arguments {words}", answer.text)
    # ENOEXEC: the C library of env gives the file to the shell, for which it is a comment.
    comment, closed = answers[-2:]
    expect(comment.text == "" and not comment.status, "ENOEXEC for a file that begins with # and no !", comment.text or f"status {comment.status}")
    expect(closed.text == "closed error 2\n", "ENOENT for a script by a descriptor that exec closes, so that the interpreter could not open it",
           closed.text)


def test_valid(lab):
    start = 64 + 56
    whole = start + len(EXIT)
    bad = {"more_in_the_file": segment(b"", filesz=whole, memsz=whole - 1), "too_large": segment(b"", filesz=whole, memsz=1 << 47),
           "kernel": segment(b"", vaddr=0xffff800000000000, filesz=whole),
           "crooked": segment(b"", vaddr=BASE + 16, filesz=whole)}
    files = {name: elf(EXIT, header, entry=BASE + start) for name, header in bad.items()}
    # The end of the second segment wraps to the first page. The first one is good, so the program as a whole has a start and an end.
    good = segment(b"", filesz=whole + 56)
    files["wraps"] = elf(EXIT, good, segment(b"", vaddr=BASE + PAGE, filesz=whole, memsz=(1 << 64) - BASE), entry=BASE + start + 56)
    answers = run(lab, "./good", *(f"./{name}" for name in files), "echo alive", files={"good": elf(EXIT), **files})
    expect(answers[0].status == 42, "a good program to end with status 42", answers[0].status)
    for name, answer in zip(files, answers[1:]):
        expect(answer.status == SIGSEGV_STATUS, f"the program `{name}` to be ended by SIGSEGV", f"status {answer.status}")
    expect(answers[-1].text == "alive\n", "a machine that goes on", answers[-1].text)


def test_rights(lab):
    start = 64 + 2 * 56
    text = segment(b"", filesz=start + 64)
    data = segment(b"", vaddr=BASE + PAGE, rights=READ | WRITE, filesz=start + 64)
    files = {"writes_text": elf(WRITE_TEXT), "runs_data": elf(EXIT.ljust(64, b"\0"), text, data, entry=BASE + PAGE + start),
             "writes_data": elf(bytes.fromhex("c604250010400090") + EXIT.ljust(64, b"\0"), text, data, entry=BASE + start),
             "reads": elf(READ_DATA + EXIT.ljust(64, b"\0"), text, data, entry=BASE + start),
             "no_rights": elf(READ_DATA + EXIT.ljust(64, b"\0"), text, segment(b"", vaddr=BASE + PAGE, rights=0, filesz=start + 64),
                              entry=BASE + start)}
    writes_text, runs_data, writes_data, reads, no_rights = run(lab, *(f"./{name}" for name in files), files=files)
    expect(reads.status == 42, "a program to read its data (PF_R)", f"status {reads.status}")
    expect(no_rights.status == SIGSEGV_STATUS, "a program that reads a segment without PF_R to be ended by SIGSEGV", f"status {no_rights.status}")
    expect(writes_data.status == 42, "a program to write to its data (PF_W)", f"status {writes_data.status}")
    expect(writes_text.status == SIGSEGV_STATUS, "a program that writes to its text to be ended by SIGSEGV", f"status {writes_text.status}")
    expect(runs_data.status == SIGSEGV_STATUS, "a program that executes its data to be ended by SIGSEGV", f"status {runs_data.status}")


def test_setuid(lab):
    kinds = {"plain": ("1:1", "755", "user 1000 group 1000"), "user": ("0:0", "4755", "user 0 group 1000"),
             "group": ("0:7", "2755", "user 1000 group 7"), "locking": ("0:7", "2745", "user 1000 group 1000"),
             "both": ("3:7", "6755", "user 3 group 7")}
    answers = run(lab, "mkdir nosuid; mount -t tmpfs -o nosuid none nosuid",
                  *(f"cp {CALLS} {kind}; chown {owner} {kind}; chmod {mode} {kind}; su student -c '/lab/{kind} ids'"
                    for kind, (owner, mode, _) in kinds.items()),
                  f"cp {CALLS} nosuid/all; chmod 6755 nosuid/all; su student -c '/lab/nosuid/all ids'")[1:]
    for answer, (owner, mode, wanted) in zip(answers, kinds.values()):
        expect(answer.text.strip() == wanted, f"`{wanted}` for a program with owner {owner} and mode {mode}, run by 1000", answer.text)
    expect(answers[-1].text.strip() == "user 1000 group 1000", "no other rights from a file system mounted with nosuid", answers[-1].text)
