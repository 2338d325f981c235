"""KernelShark with our traces, flame graphs, and a trace of the boot."""
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from nop5 import BUILD, ROOT, eventually, host
from exporting import record, report

GRAPH_HEIGHT, GRAPH_WIDTH = 290, 648  # position of KernelShark's plots on a screen of 1280 by 800


@pytest.fixture
def display():
    """Starts an X server without a screen. Gives its display name."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24"], pass_fds=[write],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        yield f":{number.readline().strip()}"
    server.kill()
    server.wait()


def strong_colors(display):
    """Counts the saturated colours in the area of KernelShark's plots. A dialog has almost none."""
    rgb = host(["import", "-display", display, "-window", "root", "-crop",
                          f"{GRAPH_WIDTH}x{GRAPH_HEIGHT}+0+100", "-depth", "8", "rgb:-"], check=True,
                         stdout=subprocess.PIPE).stdout
    pixels = Counter(rgb[at:at + 3] for at in range(0, len(rgb), 3))
    return sum(count > 50 and max(color) - min(color) > 120 for color, count in pixels.items())


@pytest.mark.tools
def test_kernelshark_opens_our_trace_and_draws_its_tasks(images, tmp_path, display):
    result = record("-p", "function_graph", "hackbench -g 1 -l 5", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    # KernelShark shows a warning to root in a dialog. A new home directory keeps its settings apart.
    home = tmp_path / "home"
    home.mkdir()
    shutil.move(tmp_path / "trace.dat", home)
    command = ["kernelshark", "trace.dat"]
    if os.getuid() == 0:
        for path in (home, home / "trace.dat"):
            os.chown(path, 65534, 65534)
        for path in (tmp_path, *tmp_path.parents[:3]):
            if path.owner() == "root" and path != path.parent:
                path.chmod(path.stat().st_mode | 0o055)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=dict(os.environ, DISPLAY=display, HOME=str(home), XDG_RUNTIME_DIR=str(home)))
    try:
        eventually(lambda: process.poll() is not None or strong_colors(display) > 8)
        assert process.poll() is None, process.communicate()[0]
        picture = BUILD / "test" / "kernelshark.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        host(["import", "-display", display, "-window", "root", "-trim", picture], check=True)
    finally:
        process.kill()
        process.wait()


def test_boot_trace_draws_the_boot_and_names_the_most_expensive_functions(images, tmp_path):
    result = host([ROOT / "scripts/boot-trace", "--cpus", "2", "-o", tmp_path], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert result.returncode == 0, result.stderr
    assert "; 0 events lost" in result.stderr
    rows = [line.split() for line in result.stdout.splitlines()[1:-1]]
    assert len(rows) == 10 and all(re.fullmatch(r"[\d.]+%", share) for _, share, _ in rows)
    assert [float(ms) for ms, _, _ in rows] == sorted((float(ms) for ms, _, _ in rows), reverse=True)
    assert not {"__schedule", "do_idle"} & {name for _, _, name in rows}
    text = report(tmp_path / "boot.dat")  # 50 MB: an expression over it would cost more than the boot
    assert all(f" {name}()" in text for name in ("do_initcalls", "free_initmem", "tty_read"))
    ElementTree.parse(tmp_path / "boot.svg")


def test_a_flame_graph_is_as_wide_as_its_stacks(tmp_path):
    folded = "a;b 30\na;c 60\na 10\na;tiny;inner 0\n"
    svg = subprocess.run([ROOT / "scripts/flamegraph", "--title", "x < y"], input=folded, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    widths = {group.find(f"{space}title").text.split(":")[0]: float(group.find(f"{space}rect").get("width"))
              for group in root.iter(f"{space}g")}
    assert {name: round(width) for name, width in widths.items()} == {"all": 1200, "a": 1200, "b": 360, "c": 720}
    result = subprocess.run([ROOT / "scripts/flamegraph"], input="no number here\n", text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    assert result.returncode == 1 and "folded stacks" in result.stderr


def test_the_pictures_of_the_manual_exist():
    for page in (ROOT / "docs").glob("*.md"):
        for picture in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text()):
            assert (page.parent / picture).stat().st_size > 1000


def timeline(tmp_path, *trace):
    """Draws the timeline of a live patch. Returns (times of the syncs, calls through the int3, [(colour, x) of each line])."""
    out = tmp_path / "patch.svg"
    said = host([ROOT / "scripts/trace-view", "--patch", out, *trace], text=True, check=True, stdout=subprocess.PIPE).stdout
    syncs, calls = re.search(r": syncs at (.*) us; (\d+) calls went through the int3$", said).groups()
    lines = [(line.get("stroke"), float(line.get("points").split(",")[0])) for line in ElementTree.parse(out).getroot().iter()
             if line.tag.endswith("polyline")]
    return [int(sync) for sync in syncs.split(", ")], int(calls), lines


def test_a_timeline_has_a_line_for_each_call_red_until_the_opcode_is_written(tmp_path):
    trace = tmp_path / "trace"
    trace.write_text("""# tracer: function
      sh-28      [000] .....     2.000100: text_sync_all <-text_patch_apply
      dd-30      [001] d....     2.000200: do_interrupt <-asm_common_interrupt
      dd-30      [001] d.h..     2.000210: irq_exit <-do_interrupt
      dd-30      [001] .....     2.000250: vfs_write <-ksys_write
      sh-28      [000] .....     2.000300: text_sync_all <-text_patch_apply
      dd-30      [001] d....     2.000400: do_interrupt <-asm_common_interrupt
      dd-30      [001] d.h..     2.000410: irq_exit <-do_interrupt
      dd-30      [001] .....     2.000450: vfs_write <-ksys_write
      sh-28      [000] .....     2.000460: vfs_write <-ksys_write
      sh-28      [000] .....     2.000500: text_sync_all <-text_patch_apply
      dd-30      [001] d....     2.000600: do_interrupt <-asm_common_interrupt
      dd-30      [001] d.h..     2.000610: irq_exit <-do_interrupt
      dd-30      [001] .....     2.000620: vfs_write <-ksys_write
""")
    syncs, calls, lines = timeline(tmp_path, trace)
    assert (syncs, calls) == ([0, 200, 400], 2)
    red, green = ([x for stroke, x in lines if stroke == color] for color in ("#cc0000", "#38761d"))
    assert len(red) == 2 and len(green) == 1 and max(red) < min(green)
    unit = (red[1] - red[0]) / 200
    assert green[0] - red[1] == pytest.approx(170 * unit, abs=2)


def test_a_timeline_of_a_trace_without_a_patch_says_what_is_missing(tmp_path):
    trace = tmp_path / "trace"
    trace.write_text("      dd-30      [001] .....     2.000250: vfs_write <-ksys_write\n")
    result = host([ROOT / "scripts/trace-view", "--patch", tmp_path / "x.svg", trace], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (1, "scripts/trace-view: CPU 0 has made 0 syncs, not 3\n")


def test_a_live_patch_on_two_cpus_becomes_a_timeline(images, tmp_path):
    syncs, calls, lines = timeline(tmp_path)
    assert len(syncs) == 3 and syncs == sorted(set(syncs))
    assert sum(stroke == "#cc0000" for stroke, _ in lines) <= calls


@pytest.mark.soak
def test_the_timeline_of_a_live_patch_has_the_calls_of_the_other_cpu(images, tmp_path):
    """Whether that CPU calls the function during the patch is the host's choice, so only make soak asks."""
    lines = timeline(tmp_path)[2]
    assert len([stroke for stroke, _ in lines if stroke in ("#cc0000", "#38761d")]) > 0
