"""The tests of lab 10: the UART's interrupts, the editing of a line, control characters, softirqs."""
import re

from lab_test import expect

FIFO, FLIP_BUFFER, LINE = 16, 4096, 3 * 4096 + 5
ACTIONS = ("N_TTY_NOTHING", "N_TTY_LINE", "N_TTY_SIGINT", "N_TTY_SIGQUIT", "N_TTY_SIGTSTP", "N_TTY_STOP", "N_TTY_START")
MODES = {"": "", "noisig": " with ISIG off", "noixon": " with IXON off", "others": " with ^B ^E ^F ^N ^P in c_cc"}


def uart(lab, step):
    """What the software UART of lab10_serial.c counts."""
    text = lab.run(lab.host_program("lab10_serial.c"), step, check="the driver not to touch foreign memory").stdout
    return {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", text)}


def screen(echo):
    """The lines that a terminal shows after these bytes."""
    lines, column = [[]], 0
    for char in echo:
        line = lines[-1]
        if char == "\n":
            lines.append([])
            column = 0
        elif char == "\r":
            column = 0
        elif char == "\b":
            column = max(column - 1, 0)
        elif char == "\t":
            column += 8 - column % 8
        else:
            line.extend(" " * (column + 1 - len(line)))
            line[column] = char
            column += 1
    return ["".join(line).rstrip() for line in lines]


class Typed:
    """What the line discipline makes of typed bytes."""

    def __init__(self, lab, text, mode=""):
        answer = lab.run(lab.host_program("lab10_tty.c"), text.encode().hex(), *([mode] if mode else []),
                         check="the line discipline not to touch foreign memory").stdout
        self.actions = [(chr(int(byte, 16)), ACTIONS[int(action)]) for byte, action in re.findall(r"action (\w\w) (\d)", answer)]
        self.input = bytes.fromhex(re.search(r"^input (.*)$", answer, re.M)[1]).decode(errors="replace")
        self.screen = screen(bytes.fromhex(re.search(r"^echo (.*)$", answer, re.M)[1]).decode(errors="replace"))


def expect_line(lab, typed, line, shown=None, mode=""):
    seen = Typed(lab, typed, mode)
    expect(seen.input == line, f"a program to read {line!r} when a user types {typed!r}", repr(seen.input))
    shown = [*(shown if shown is not None else line).split("\n")]
    expect(seen.screen == shown, f"the screen to show {shown} when a user types {typed!r}", seen.screen)


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_receive(lab):
    seen = uart(lab, "receive")
    expect(seen["taken"] == LINE and not seen["wrong"], f"{LINE} received bytes to reach the reader in order",
           f"{seen['taken']}, {seen['wrong']} of them wrong")
    expect(seen["interrupts"] <= LINE // FIFO + 8, f"about {LINE // FIFO} interrupts for {LINE} bytes", seen["interrupts"])
    seen = uart(lab, "noisy")
    expect(seen["taken"] == LINE and not seen["flags"], f"{LINE} bytes and breaks of a noisy line, each with its own errors",
           f"{seen['taken']}, {seen['flags']} of them with other errors")
    seen = uart(lab, "endless")
    expect(seen["most"] <= FIFO, f"at most {FIFO} bytes (RX_MAX) in an interrupt when the line never becomes empty", seen["most"])
    expect(not seen["wrong"], "all bytes of an endless line in order", f"{seen['wrong']} wrong")


def test_throttle(lab):
    seen = uart(lab, "throttle")
    expect(seen["buffered"] == FLIP_BUFFER, f"{FLIP_BUFFER} bytes taken from the UART while the reader sleeps", seen["buffered"])
    expect(seen["rts"] == 0, "the sender to be stopped (RTS off) when the flip buffer is full", "RTS on")
    expect(seen["taken"] == LINE and not seen["wrong"], f"all {LINE} bytes at the reader, after it has woken",
           f"{seen['taken']}, {seen['wrong']} of them wrong")


def test_transmit(lab):
    seen = uart(lab, "transmit")
    expect(seen["sent"] == 1000 and not seen["wrong"], "1000 bytes on the line, in order", f"{seen['sent']}, {seen['wrong']} of them wrong")
    expect(not seen["lost"], f"at most {FIFO} bytes written into the FIFO at once", f"{seen['lost']} too many")
    expect(seen["interrupts"] <= 1000 // FIFO + 3, f"about {1000 // FIFO + 1} interrupts for 1000 bytes", seen["interrupts"])
    expect(seen["counted"] == 1000, "1000 bytes counted in port->tx", seen["counted"])
    expect(not seen["pushes"], "serial8250_rx_chars() to return false as long as no byte comes", f"{seen['pushes']} calls of the worker")
    expect(seen["asks"] == 0, "the transmitter's interrupt to be off when nothing is left to send", "it on")
    seen = uart(lab, "transmit-8250")
    expect(not seen["lost"], "at most 1 byte written at once to an 8250, whose fifo_size is 1", f"{seen['lost']} too many")
    expect(seen["sent"] == 1000 and not seen["wrong"], "1000 bytes on the line of an 8250, in order", f"{seen['sent']}, {seen['wrong']} of them wrong")
    text, = lab.boot("seq 20000")
    expect(text.lines == [str(n) for n in range(1, 20001)], "`seq 20000` to come over the line unchanged", f"{len(text.lines)} lines")


def test_erase(lab):
    expect_line(lab, "abx\x7fc\n", "abc\n")
    expect_line(lab, "\x7f\x7fok\n", "ok\n")
    expect_line(lab, "one two_2\x17three\n", "one three\n")
    expect_line(lab, "one two,  \x17three\n", "one three\n")
    expect_line(lab, "one two-three\x17four\n", "one two-four\n")
    expect_line(lab, "some junk\x15good\n", "good\n")
    expect_line(lab, "first\n\x7f\x17\x15second\n", "first\nsecond\n")
    expect_line(lab, "first\nab\x15second\n", "first\nsecond\n")
    expect_line(lab, "first\n--\x17second\n", "first\nsecond\n")


def test_control(lab):
    for typed, mode, actions in (("\x03", "", "\x03 SIGINT"), ("\x1c\x1a", "", "\x1c SIGQUIT \x1a SIGTSTP"), ("\x13\x11", "", "\x13 STOP \x11 START"),
                                 ("\x03\x1c\x1a\x13", "noisig", "\x13 STOP"), ("\x11\x13\x03", "noixon", "\x03 SIGINT"), ("\x16\x03", "", ""), ("a\n", "", "\n LINE"),
                                 ("\x02\x05\x06\x0e\x10\x03\x13", "others", "\x02 SIGINT \x05 SIGQUIT \x06 SIGTSTP \x0e STOP \x10 START")):
        words = actions.split(" ") if actions else []
        expected = [(byte, f"N_TTY_{action}") for byte, action in zip(words[::2], words[1::2])]
        seen = Typed(lab, typed, mode).actions
        expect(seen == expected, f"the actions {expected or 'none'} for the bytes {typed!r}{MODES[mode]}", seen or "none")
    seen = Typed(lab, "rm -r /\x03ls\n").input
    expect(seen == "ls\n", "^C to drop the line that was typed before it", repr(seen))


def test_softirq(lab):
    lab.selftest("timer.none_is_early_and_none_is_lost")
    results = lab.selftests("softirq.*", icount=True)
    for name in ("all_softirqs_of_an_interrupt_run_without_ksoftirqd_while_they_are_few", "interrupts_are_off_again_behind_the_last_softirq",
                 "a_softirq_that_raises_itself_without_end_is_left_to_ksoftirqd", "a_softirq_that_takes_long_is_left_to_ksoftirqd_after_one_round"):
        result = results.get(name)
        expect(result and result.ok, f"the self-test softirq.{name} to pass", "; ".join(result.details) if result else "no result")
