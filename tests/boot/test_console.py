"""The serial console: line editing, signals, flow control; no input is lost, and lines of output do not mix."""
import re
import socket
import zlib

import pytest

from nop5 import start_sleeper


def paste(nop5, path, data):
    """Types data and ^D at full speed into `cat > path`, and waits for the prompt."""
    nop5.start(f"cat > {path}")
    writer = nop5.send(data + b"\x04")
    nop5.wait_prompt()
    if writer:
        writer.join()


def hexdump_bytes(text):
    """Returns the bytes that hexdump -C shows. The text must not have repeated lines (`*`)."""
    data = bytearray()
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]{8}  ((?:[0-9a-f]{2} +){1,16})\|", line):
            data += bytes.fromhex(match.group(1))
    return bytes(data)


def test_64_kib_pasted_at_full_speed_arrive_complete(boot):
    nop5 = boot(cpus=4)
    lines = [b"%06d %s" % (i, bytes(33 + (i * 7 + j) % 94 for j in range(56))) for i in range(1024)]
    data = b"\n".join(lines) + b"\n"
    assert len(data) == 64 * 1024
    paste(nop5, "/tmp/f", data)
    assert nop5.check("wc /tmp/f").split()[2] == str(len(data))
    received = nop5.check("cat /tmp/f").encode()
    assert zlib.crc32(received) == zlib.crc32(data)
    assert received == data


def test_a_64_kib_script_pasted_at_the_prompt_runs_every_line(boot):
    """The shell runs each line while the next lines arrive."""
    nop5 = boot(cpus=4)
    line = "echo -n x >> /tmp/count #" + "." * 38 + "\n"
    count = 64 * 1024 // len(line)
    writer = nop5.send(line * count + "echo all d''one\n")
    nop5.expect(r"all done\r\n")
    nop5.wait_prompt()
    if writer:
        writer.join()
    assert nop5.check("wc /tmp/count").split()[2] == str(count)


def test_lines_of_all_cpus_never_mix_and_none_is_lost(boot):
    """All CPUs print lines to the terminal and to the kernel's log at the same time."""
    nop5 = boot(cpus=8)
    loops = 60
    for cpu in range(8):
        script = "".join(f"echo cpu{cpu} tty {i:03} {'abcdefgh'[cpu] * 50} end\n"
                         f"echo '<4>cpu{cpu} log {i:03} {'ABCDEFGH'[cpu] * 50} end' > /dev/kmsg\n" for i in range(loops))
        paste(nop5, f"/tmp/{cpu}", script.encode())
    start = len(nop5.text)
    # The output of the jobs hides prompts, so one line starts all jobs and waits for them.
    nop5.send(" ".join(f"taskset -c {cpu} sh /tmp/{cpu} &" for cpu in range(8)) + " wait; echo all d''one\n")
    nop5.expect(r"all done\r\n")
    nop5.wait_prompt()
    lines = nop5.text[start:].splitlines()
    for cpu in range(8):
        for kind, letter in (("tty", "abcdefgh"[cpu]), ("log", "ABCDEFGH"[cpu])):
            stamp = r"(?:\[ *\d+\.\d{6}\] )?"
            pattern = re.compile(rf"{stamp}cpu{cpu} {kind} (\d{{3}}) {letter * 50} end")
            seen = [int(m.group(1)) for m in map(pattern.fullmatch, lines) if m]
            assert seen == list(range(loops)), f"cpu{cpu} {kind}"


@pytest.mark.parametrize("reader", ["shell", "cat"])
def test_erase_and_kill_edit_the_line(nop5, reader):
    """The shell edits its own lines, and the terminal edits those of a command."""
    if reader == "cat":
        nop5.start("cat")
        typed = b"abX\x7fc\n", b"wrong\x15right\n"
    else:
        typed = b"echo abX\x7fc\n", b"echo wrong\x15echo right\n"
    for line, word in zip(typed, ("abc", "right")):  # one after the other: an echo may stand in the middle of an output
        nop5.send(line)
        nop5.expect(rf"^{word}\r\n")
        assert b"\nwrong\r" not in nop5.before and b"\nabX\r" not in nop5.before
    if reader == "cat":
        nop5.send(b"\x04")
    nop5.wait_prompt()


def test_erase_stops_at_the_prompt(nop5):
    nop5.send(b"\x7f" * 20 + b"echo ok\n")
    nop5.wait_prompt()
    assert b"\nok\r\n" in nop5.before


def test_control_c_ends_a_command_with_status_130(nop5):
    nop5.interrupt("sleep 100000")
    assert nop5.check("echo $?").strip() == "130"
    assert "sleep" not in nop5.check("ps")


def test_control_c_ends_a_script_and_its_command(nop5):
    nop5.check("echo 'sleep 100000' > /tmp/s; echo 'echo not reached' >> /tmp/s")
    nop5.interrupt("sh /tmp/s")
    assert b"not reached" not in nop5.before
    assert "sleep" not in nop5.check("ps")
    nop5.check("rm /tmp/s")


def test_control_c_at_the_prompt_drops_the_line(nop5):
    nop5.send(b"echo never\x03")
    nop5.wait_prompt()
    assert nop5.check("echo here") == "here\n"


def test_control_z_at_the_prompt_is_nothing(nop5):
    nop5.send(b"echo ne\x1axt\n")
    nop5.expect(r"^next\r\n")
    nop5.wait_prompt()


def test_control_z_stops_a_command_and_drops_what_it_has_not_read(nop5):
    nop5.start("cat > /tmp/z")
    nop5.send(b"never\x1a")
    nop5.wait_prompt()
    assert re.search(r"\^Z\[1\]\+ +Stopped +sh -c .*exec cat > /tmp/z", nop5.before.decode())
    assert nop5.check("jobs").split()[:2] == ["[1]+", "Stopped"]
    nop5.send("fg\n")
    nop5.expect(r"^sh -c [^\n]*\r\n")
    nop5.send(b"taken\n\x04")
    nop5.wait_prompt()
    assert nop5.check("cat /tmp/z; rm /tmp/z") == "taken\n"


@pytest.mark.parametrize("how", ["elf", "bios"])
def test_what_is_typed_before_the_kernel_runs_is_kept(boot, how):
    nop5 = boot(boot=how, cpus=1, wait=False)
    words = " ".join(f"word{i}" for i in range(60))
    nop5.send(f"echo {words} > /tmp/ahead; echo all d''one\n")
    nop5.expect(r"all done\r\n")
    nop5.wait_prompt()
    assert nop5.check("cat /tmp/ahead") == words + "\n"


def test_control_c_leaves_background_jobs_alone(nop5):
    start_sleeper(nop5)
    nop5.interrupt("sleep 100000")
    table = [l for l in nop5.check("ps").splitlines() if re.search(r"\bsleep\b", l)]
    assert len(table) == 1
    nop5.check(f"kill {table[0].split()[0]}")
    nop5.run("wait")


def test_control_d_ends_the_input_of_a_command(nop5):
    paste(nop5, "/tmp/f", b"one\ntwo\n")
    assert nop5.check("cat /tmp/f") == "one\ntwo\n"
    paste(nop5, "/tmp/f", b"no newline\x04")  # the first ^D ends the line, the second the input
    assert nop5.check("wc /tmp/f").split()[2] == "10"
    nop5.check("rm /tmp/f")


def test_control_s_holds_the_output_and_control_q_lets_it_go(nop5):
    nop5.send(b"\x13")
    nop5.send("echo held\n")
    nop5.send(b"\x11")
    nop5.wait_prompt()
    assert b"\nheld\r\n" in nop5.before


def test_an_over_long_line_is_cut_as_linux_cuts_it_and_the_prompt_comes_again(nop5):
    """A line holds 4095 characters. The terminal drops further ones, but not the newline."""
    nop5.send("echo " + "z" * 10000 + "\n")
    nop5.wait_prompt()
    printed = nop5.before.decode().replace("\r\n", "\n").partition("\n")[2].strip()
    assert re.fullmatch(r"z{1000,4096}|.*sh: .*", printed, re.S), printed[:200]
    assert nop5.check("echo on") == "on\n"


def test_binary_noise_gives_errors_and_the_prompt(boot):
    nop5 = boot(cpus=2)
    state = 12345
    noise = bytearray()
    for _ in range(8192):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        noise.append(state >> 16 & 0xFF)
    # ^D would end the shell, ^S would stop the output.
    noise = bytes(b for b in noise if b not in (0x04, 0x13))
    writer = nop5.send(noise + b"\x11\x03\necho -n after; echo noise\n")
    nop5.expect(r"afternoise\r\n")
    nop5.wait_prompt()
    if writer:
        writer.join()
    assert nop5.check("echo on") == "on\n"
    assert nop5.check("tail -n 1 /sys/kernel/debug/page_tables").strip() == "W+X pages: 0"


def test_carriage_return_ends_a_line_too(nop5):
    nop5.send(b"echo with cr\r")
    nop5.wait_prompt()
    assert b"with cr\r\n" in nop5.before


def test_the_second_serial_port_is_a_terminal_too(boot, tmp_path):
    out = tmp_path / "com2"
    nop5 = boot(cpus=1, extra=["-serial", f"file:{out}"])
    nop5.check("echo to the other port > /dev/ttyS1")
    nop5.poweroff()
    assert out.read_bytes().replace(b"\r\n", b"\n") == b"to the other port\n"


def test_a_stopped_port_sends_nothing_without_output_processing(boot, tmp_path):
    """^S and ^Q arrive before the line that `head` reads."""
    path = tmp_path / "com2"
    nop5 = boot(cpus=1, extra=["-serial", f"unix:{path},server=on,wait=off"])
    nop5.check("stty -F /dev/ttyS1 -opost -echo ixon icanon")
    with socket.socket(socket.AF_UNIX) as com2:
        com2.connect(str(path))
        com2.sendall(b"\x13stopped\n")
        assert nop5.check("head -n 1 < /dev/ttyS1") == "stopped\n"
        assert nop5.run("timeout 1 sh -c 'echo kept back > /dev/ttyS1'").status == 143
        com2.sendall(b"\x11on\n")
        assert nop5.check("head -n 1 < /dev/ttyS1") == "on\n"
        nop5.check("echo sent > /dev/ttyS1")
        com2.settimeout(60)
        assert com2.makefile("rb").readline() == b"sent\n"
