"""The tests of lab 16: what mdb shows of a program, and what the program notices of mdb."""
import re

from lab_test import expect, shorten

TARGET = "lab16_target"
ROUNDS = 20_000_000  # of a loop: a fraction of a second, but half an hour in single steps


class Target:
    """The program lab16_target, in /lab of a root file system."""

    def __init__(self, lab, **scripts):
        self.lab = lab
        root = lab.build / "lab16"
        lab.run("rm", "-rf", root)
        lab.guest_program(f"{TARGET}.c", root / "lab")
        for name, text in scripts.items():
            (root / "lab" / name).write_text(text)
        self.initrd = lab.rootfs(root)
        self.addresses, self.functions = {}, []
        for line in lab.run("nm", "-S", root / "lab" / TARGET, check="nm to list symbols").stdout.splitlines():
            if match := re.match(r"(\w{16}) (?:(\w{16}) )?\w (\S+)$", line):
                self.addresses[match[3]] = int(match[1], 16)
                if match[2]:
                    self.functions.append((int(match[1], 16), int(match[2], 16), match[3]))

    def place(self, name, offset=0, inside=None):
        """How mdb prints the address of a name."""
        address = self.addresses[name] + offset
        owner = self.addresses[inside] if inside else address
        for start, size, function in self.functions:
            if start <= owner < start + size:
                return f"0x{address:x} <{function}+0x{address - start:x}>"
        return f"0x{address:x}"

    def check(self, *sessions, cpus=2):
        """Type the commands of each session, and compare what mdb and the program print: (arguments, [(command, its lines)])."""
        typed = [f"mdb -e '{';'.join(command for command, *_ in steps)}' /lab/{TARGET} {arguments}" for arguments, steps in sessions]
        for command, answer, (_, steps) in zip(typed, self.lab.boot(*typed, initrd=self.initrd, cpus=cpus), sessions):
            compare(command, [(line, f"`{step}`, command {n} of ") for n, (step, *lines) in enumerate(steps, 1) for line in lines], answer.lines)


def compare(command, wanted, seen):
    """Each line as wanted: (line, what prints it); `…` is any text."""
    command = shorten(f"`{command}`", 400)
    for n, (line, step) in enumerate(wanted):
        expect(n < len(seen) and re.fullmatch(".*".join(map(re.escape, line.split("…"))), seen[n]), f"`{line}` from {step}{command}",
               "; ".join(seen[n:n + 2]))
    expect(len(seen) == len(wanted), f"{len(wanted)} lines from {command}, and no more", "; ".join(seen[len(wanted):]))


def lines(*wanted):
    """For compare(): lines of the whole command."""
    return [(line, "") for line in wanted]


def number(value):
    """The eight bytes of a number as `print` shows them."""
    return value.to_bytes(8, "little").hex(" ")


def ends(*, leaves=0, usr2=0, trap=0):
    """What the program prints at its end."""
    return f"leaves {leaves}, USR2 {usr2}, TRAP {trap}", "exited with status 0"


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_start(lab):
    target = Target(lab)
    target.check(("arguments one \"two words\"", [("registers", *["…"] * 5, f"…rip    0x{target.addresses['_start']:016x}  eflags…"),
                                                 ("continue", "[one]", "[two words]", "exited with status 3")]),
                 ("exec", [("continue", "paused at 0x…"), ("continue", "[again]", "exited with status 3")]))
    commands = ("mdb -e continue /no/program", f"mdb -e '!kill -9 $PPID' /lab/{TARGET} outlive | cat")
    missing, killed = lab.boot(*commands, initrd=target.initrd)
    compare(commands[0], lines("mdb: /no/program: No such file or directory"), missing.lines)
    expect("alive" not in killed.text, f"the program to end with its debugger (`{commands[1]}`)", killed.text)


def test_memory(lab):
    target = Target(lab)
    page = bytes((i * 7 + i // 256) & 0xff for i in range(4096))
    page = page[:64] + b"\xff" * 16 + page[80:]

    def show(at, size):
        return f"print 0x{0x10000000 + at:x} {size}", f"0x{0x10000000 + at:x}: {page[at:at + size].hex(' ')}"

    at = lab.random.randrange(100, 3000)
    target.check(("memory", [("continue", "…at 0x…"), show(0, 16), show(3, 13), show(64, 8),
                             show(65, 11), show(at, 40), show(4093, 3), show(4089, 7), ("print 0x10000ffe 8", "error: …"),
                             ("print 0x8 1", "error: …"), ("print leaf 6", f"{target.place('leaf')}: 90 90 90 48 ff 05")]))


def test_breakpoints(lab):
    target = Target(lab)
    times = lab.random.randrange(3, 7)
    code = ("print leaf 6", f"{target.place('leaf')}: 90 90 90 48 ff 05")

    def stop(name):
        return "continue", f"breakpoint at {target.place(name)}"

    def leaves(count):
        return "print leaves 8", f"{target.place('leaves')}: {number(count)}"

    target.check(
        (f"leaf {times}", [("break leaf_1",), ("break leaf_end",),
                           *(step for n in range(times) for step in (stop("leaf_1"), leaves(n), stop("leaf_end"), leaves(n + 1))),
                           ("continue", *ends(leaves=times))]),
        ("leaf 3", [("break leaf",), ("break leaf_1",), ("break leaf_2",), code, stop("leaf"), code, stop("leaf_1"), code, ("delete leaf_1",),
                    ("delete leaf_2",), code, stop("leaf"), code, ("delete leaf",), code, ("continue", *ends(leaves=3))]),
        ("leaf 2", [("break leaf_1",), ("break leaf_1",), stop("leaf_1"), (f"!/lab/{TARGET} leaf 4", "leaves 4, USR2 0, TRAP 0"),
                    ("delete leaf_1",), ("continue", *ends(leaves=2))]),
        (f"slow {ROUNDS}", [("break slow_end",), stop("slow_end"), ("continue", *ends())]),
        ("leaf 1", [("break 0x8", "error: …"), ("break leaf",), stop("leaf"), ("continue", *ends(leaves=1))]),
        ("exec", [("break leaf",), ("continue", "paused at 0x…"), ("print leaf 2", f"{target.place('leaf')}: 90 90"),
                  ("continue", "[again]", "exited with status 3")]),
        ("leaf 1", [*((f"break main+{n}",) for n in range(64)), ("break leaf", "error: No space left on device")]))


def test_signals(lab):
    target = Target(lab)
    send = f"$(pidof {TARGET})"
    here = f"breakpoint at {target.place('here')}"
    own = ("continue", "signal 12 at 0x…"), ("continue", "signal 5 at 0x…"), ("continue", f"signal 5 at {target.place('traps_itself_2')}")

    def leaves(count, signals):
        return (("print leaves 8", f"{target.place('leaves')}: {number(count)}"),
                ("print first_signals 8", f"{target.place('first_signals')}: {number(signals)}"))

    target.check(
        ("signals", [*own, ("continue", "signal 12 at 0x…"), ("continue", "leaves 2, USR2 2, TRAP 2", "signal 11 at 0x… <raise_all+0x…>"),
                     ("continue", "killed by signal 11"), ("continue", "no program")]),
        ("signals", [("break here",), *own, ("continue", here), (f"!kill -USR2 {send}",), ("continue", f"signal 12 at {target.place('here')}"),
                     *leaves(0, 1), ("continue", here), *leaves(1, 2)]),
        ("signals", [("break traps_itself+1",), *own[:2], ("continue", f"breakpoint at {target.place('traps_itself', 1)}"), own[2],
                     ("continue", "signal 12 at 0x…")]),
        ("leaf 3", [("break leaf",), ("continue", f"breakpoint at {target.place('leaf')}"), (f"!kill -9 {send}",), ("continue", "killed by signal 9")]),
        # Two signals at a breakpoint: each is shown, and the program gets past it.
        ("leaf 1", [("break leaf",), ("continue", f"breakpoint at {target.place('leaf')}"), (f"!kill -USR2 {send}",),
                    ("continue", f"signal 12 at {target.place('leaf')}"), (f"!kill -TRAP {send}",), ("continue", f"signal 5 at {target.place('leaf')}"),
                    ("continue", "signal 12 at 0x…"), ("continue", *ends(leaves=1, usr2=1, trap=1))]),
        ("leaf 3", [(f"!kill -STOP {send}",), ("continue", "signal 19 at 0x…"), ("continue", "paused at 0x…"), ("continue", *ends(leaves=3))]))


def test_steps(lab):
    target = Target(lab)
    deep = lab.random.randrange(4, 8)

    def at(name, command="step"):
        return command, f"at {target.place(name)}"

    def stop(name, command="continue"):
        return command, f"breakpoint at {target.place(name)}"

    def over(*names):
        return [at(name, "next") for name in names]

    end = ("continue", *ends(leaves=3))
    target.check(
        (f"walk {deep}", [("break walk",), stop("walk"), at("walk_1"), at("walk_2"), at("walk_call"),
                          *over("walk_register", "walk_memory", "walk_3", "walk_recurse", "walk_here", "walk_pop", "walk_4", "walk_push",
                                "walk_5", "walk_6", "walk_syscall", "walk_7", "walk_8", "walk_end"), ("next", "at 0x… <main+0x…>"),
                          ("print recursions 8", f"{target.place('recursions')}: {number(deep)}"), end]),
        (f"walk {deep}", [("break walk",), ("break walk_2",), ("break walk_call",), stop("walk"), at("walk_1"), stop("walk_2", "step"),
                          stop("walk_call", "step"), at("leaf"), at("leaf_1"), end]),
        (f"walk {deep}", [("break walk_call",), ("break leaf_2",), stop("walk_call"), stop("leaf_2", "next"), ("delete leaf_2",),
                          at("leaf_count", "next"), end]),
        (f"walk {deep}", [("break recurse_call",), ("break recurse_2",), stop("recurse_call"), ("delete recurse_call",),
                          stop("recurse_2", "next"), *[stop("recurse_2")] * (deep - 1), end]),
        (f"walk {deep}", [("break recurse_call",), stop("recurse_call"), ("delete recurse_call",), at("recurse_2", "next"),
                          ("print recursions 8", f"{target.place('recursions')}: {number(deep - 1)}"), at("recurse_end"), end]),
        ("callers", [("break for_good_1",), stop("for_good_1"), ("next", "exited with status 0")]))


def test_callers(lab):
    target = Target(lab)
    main = "#2 0x… <backtraces+0x…>", "#3 0x… <main+0x…>"
    steps = []
    for name in ("deep", "deep_1", "deep_2", "deep_3", "deep_4", "deep_end"):
        steps += [(f"break {name}",), ("continue", f"breakpoint at {target.place(name)}"),
                  ("backtrace", f"#0 {target.place(name)}", f"#1 {target.place('outer_1')}", *main)]
    steps += [("break wild_1",), *(step for _ in range(2) for step in (("continue", f"breakpoint at {target.place('wild_1')}"),
                                                                     ("backtrace", f"#0 {target.place('wild_1')}")))]
    target.check(("callers", steps),
                 ("callers", [("break for_good_1",), ("continue", f"breakpoint at {target.place('for_good_1')}"),
                              ("backtrace", f"#0 {target.place('for_good_1')}", f"#1 {target.place('leaves_for_good', inside='never_back')}", *main)]))
    command = f"mdb -e 'break wild_1;continue;continue;continue;backtrace' /lab/{TARGET} callers"
    answer, = lab.boot(command, initrd=target.initrd)
    expect(f"#0 {target.place('wild_1')}" in answer.lines and len(answer.lines) < 6,
           f"an end of the callers where a frame is its own caller (`{command}`)", f"{len(answer.lines)} lines")


def test_watch(lab):
    target = Target(lab)

    def hit(offset, old, new):
        return "continue", f"watch {target.place('field', offset)}: {old} -> {new}", "at 0x… <write_field+0x…>"

    ones = 0x1111111111111111
    target.check(
        ("write", [("watch field+8 8",), hit(8, 0, ones), hit(8, ones, ones - 9), ("continue", "exited with status 0")]),
        ("write", [("watch field+2 2",), ("watch field+7 1",), ("watch field+24 4",), ("watch field+40 8",),
                   ("watch field 1", "error: No space left on device"), hit(7, 0, 7), hit(2, 0, 0x1234), hit(24, 0, 66), hit(40, 0, 5),
                   hit(7, 7, 70), ("continue", "exited with status 0")]),
        ("write", [("watch field+2 2",), ("watch field+7 1",), ("watch field+24 4",), ("watch field+40 8",), hit(7, 0, 7), ("delete field+7",),
                   ("watch field+32 8",), hit(2, 0, 0x1234), hit(24, 0, 66), hit(32, 0, ones - 9), ("delete field+32",), hit(40, 0, 5),
                   ("continue", "exited with status 0")]),
        ("write", [("watch field+8 8",), hit(8, 0, ones), ("delete field+8",), ("watch field+8 8",), hit(8, ones, ones - 9),
                   ("continue", "exited with status 0")]),
        ("write", [("watch field+1 2", "error: …"), ("watch field+7 1",), hit(7, 0, 7), hit(7, 7, 70), ("continue", "exited with status 0")]),
        (f"slow {ROUNDS}", [("watch leaves 8",), ("continue", *ends())]),
        ("write", [*[("watch 0x8 8", "error: …")] * 4, ("watch field+8 8",), hit(8, 0, ones), ("delete field+8",),
                   ("continue", "exited with status 0")]),
        ("leaf 1", [("break leaf_count",), ("watch leaves 8",), ("continue", f"breakpoint at {target.place('leaf_count')}"),
                    ("continue", f"watch {target.place('leaves')}: 0 -> 1", f"at {target.place('leaf_end')}"), ("continue", *ends(leaves=1))]),
        ("leaf 1", [("break leaf_count",), ("break leaf_end",), ("watch leaves 8",), ("continue", f"breakpoint at {target.place('leaf_count')}"),
                    ("continue", f"watch {target.place('leaves')}: 0 -> 1", f"at {target.place('leaf_end')}"),
                    ("continue", f"breakpoint at {target.place('leaf_end')}"), ("continue", *ends(leaves=1))]))


# Runs the program in the mode $1, lets mdb take it, and tells it to end. A program that was stopped runs for a moment after mdb has left it, until it stops again.
ATTACH = f"""
rm -f /tmp/in /tmp/out; mkfifo /tmp/in
/lab/{TARGET} $1 < /tmp/in > /tmp/out &
exec 3> /tmp/in
until grep -qs ready /tmp/out && grep -q "State:.$2" /proc/$!/status; do usleep 1000; done
if [ "$4" ]; then
	kill -STOP $!
	until grep -q State:.T /proc/$!/status; do usleep 1000; done
	kill -USR2 $!
fi
mdb -e "$3" -p $!
if [ "$4" ]; then
	looks=0
	until grep -qs State:.T /proc/$!/status || [ $((looks += 1)) = 100 ]; do usleep 10000; done
	grep State /proc/$!/status
	kill -CONT $!
	until grep -q "State:.$2" /proc/$!/status; do usleep 1000; done
fi
if [ $1 = wait ]; then
	echo x >&3
else
	kill -USR1 $! 2> /dev/null
fi
wait $!
echo status $?
cat /tmp/out
"""


def test_attach(lab):
    target = Target(lab, attach=ATTACH)
    leaf, code = target.place("leaf"), "print leaf 6"
    bytes_of_leaf, stop = f"{leaf}: 90 90 90 48 ff 05", f"breakpoint at {leaf}"
    send = "!kill -USR2 \\$(pidof lab16_target)"
    finish = "!kill -USR1 \\$(pidof lab16_target)"
    cases = (("loop R", code, [bytes_of_leaf, "status 5", "ready", "USR2 0, TRAP 0"]),
             ("wait S", code, [bytes_of_leaf, "status 5", "ready", "read x"]),
             ("loop R", f"break leaf;continue;{code};watch loops 8;continue;continue",
              [stop, bytes_of_leaf, f"watch {target.place('loops')}: …", "at 0x… <…>", stop, "status 5", "ready", "USR2 0, TRAP 0"]),
             ("loop R", "watch loops 8;continue;break leaf;detach;continue", [f"watch {target.place('loops')}: …", "at 0x… <…>", "no program", "status 5", "ready", "USR2 0, TRAP 0"]),
             ("loop R", f"break leaf;continue;{send};continue", [stop, f"signal 12 at {leaf}", "status 5", "ready", "USR2 1, TRAP 0"]),
             ("loop R", f"{finish};continue;continue", ["signal 10 at 0x…", "exited with status 5", "status 5", "ready", "USR2 0, TRAP 0"]))
    commands = [f"sh /lab/attach {mode} \"{typed}\"" for mode, typed, _ in cases]
    stopped = f"sh /lab/attach loop R \"{code}\" stopped"
    answers = lab.boot(*commands, stopped, "mdb -e continue -p 99999", initrd=target.initrd)
    for command, answer, (_, _, wanted) in zip(commands, answers, cases):
        compare(command, lines(*wanted), answer.lines)
    compare(stopped, lines(bytes_of_leaf, "State:\tT (stopped)", "status 5", "ready", "USR2 1, TRAP 0"), answers[-2].lines)
    compare("mdb -e continue -p 99999", lines("mdb: attach: No such process"), answers[-1].lines)
