"""The page that boots nop5 in a browser (`make web`, docs/browser.md): what it is made of, and in `make soak` the page itself in Chromium."""
import io
import json
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

import exporting
from browser import HOME, install
from exporting import trace_link
from nop5 import BUILD, ROOT
from test_docs import HANDOUTS, PAGES, files_of, root_of
from console_blocks import blocks, steps

WEB = ROOT / "web"
sys.path.append(str(WEB))
import transcripts  # noqa: E402

spec = spec_from_loader("page", SourceFileLoader("page", str(WEB / "build")))
page = module_from_spec(spec)
spec.loader.exec_module(page)
TRACING = "/sys/kernel/tracing"


def typed_by_the_tests(chapter):
    """The commands that test_docs.py types in the default machine."""
    if files_of(chapter):
        return []
    return [(directory, command) for _, info, lines in blocks(chapter, "console") if root_of(info) is None and "test-kernel" not in info.split()
            for directory, command, _ in steps(lines) if command]


def test_the_page_types_the_commands_of_the_manual_that_the_tests_type():
    shown = {chapter["file"]: [(directory, command) for block in chapter["blocks"] for directory, command, _ in block["steps"]]
             for chapter in transcripts.transcripts()}
    chapters = [chapter for chapter in PAGES if chapter.parent.name not in ("answers", "labs") and chapter.name not in ("debuggers.md",)]
    assert shown == {chapter.name: commands for chapter in chapters if chapter not in HANDOUTS and (commands := typed_by_the_tests(chapter))}
    assert len(shown) > 40 and shown["README.md"][0] == ("/", "cd /sys/kernel/tracing")


def test_each_file_that_the_page_loads_is_copied_or_made():
    made = {"xterm.css", "xterm.mjs", "bochs.js", "image.json", "functions.json", "modules.json", "transcripts.json", "trace-convert.js", "trace-convert.wasm", "trace.html"}
    loaded = set()
    for name in page.PAGE:
        text = (WEB / name).read_text()
        loaded.update(re.findall(r'(?:from|importScripts\(|new Worker\(|register\(|fetch\(|src=|href=)\s*"(?:\./)?([\w.-]+\.\w+)"', text))
        loaded.update(re.findall(r'"(\w+\.json)"', text))
    assert loaded - made <= set(page.PAGE) and set(page.PAGE) - loaded == {"index.html"}


def test_the_page_says_the_licence_of_each_part_and_where_its_source_is():
    text = (WEB / "index.html").read_text()
    for part, licence in (("nop5", "MIT"), ("Bochs", "LGPL"), ("busybox", "GPL"), ("xterm.js", "MIT")):
        assert re.search(rf"{re.escape(part)}.*?{licence}", text, re.S)
    for source in re.findall(r'href="source/([^"]+)"', text):
        assert source in (WEB / "build").read_text() or source in (WEB / "engine").read_text(), source


@pytest.fixture
def direct(images, tmp_path, boot):
    """direct(cpus): a machine that boots as in the page: the emulator puts kernel and root file system into memory, and an option ROM starts them.
    It has a second serial line, as there: without one trace-export says each second, between other output, that it is missing."""
    def start(cpus):
        elf, initrd = images / "nop5.elf", page.root_file_system(images, tmp_path)
        for name, data in (("kernel", page.kernel(elf)), ("initrd", initrd), ("rom", page.loader(page.symbols(elf)["pvh_entry"], len(initrd)))):
            (tmp_path / name).write_bytes(data)
        loaded = [argument for name, address in (("kernel", 0x100000), ("initrd", page.INITRD_AT))
                  for argument in ("-device", f"loader,file={tmp_path / name},addr={address:#x},force-raw=on")]
        return boot(boot="bios", cpus=cpus, mem="128M", extra=["-serial", "null", "-option-rom", str(tmp_path / "rom"), *loaded])

    return start


@pytest.mark.parametrize("cpus", [1, 4])
def test_the_option_rom_of_the_page_boots_the_unchanged_kernel(direct, cpus):
    machine = direct(cpus)
    assert machine.check("grep -c ^processor /proc/cpuinfo").strip() == str(cpus)
    assert "ACPI: BOCHS" in machine.check("dmesg") and machine.check("cat /proc/cmdline").strip() == ""
    assert "/usr/bin/trace-export -l" in machine.check("ps -o args")


def test_the_picture_has_the_call_sites_of_the_kernel(images, nop5):
    elf = images / "nop5.elf"
    sites = page.call_sites(elf, page.kernel(elf), page.symbols(elf))
    names = sorted(function for _, function, _ in sites)
    assert names == sorted(line for line in nop5.fetch(f"cat {TRACING}/available_filter_functions").splitlines() if "[" not in line)
    where = {function: source for _, function, source in sites}
    file, _, number = where["vfs_read"].partition(":")
    assert file == "fs/file/read_write.c" and "vfs_read(" in (ROOT / file).read_text().splitlines()[int(number) - 1]


@pytest.mark.tools
@pytest.mark.parametrize("printed, answered, prompt", [
    (["nop5:/tmp# \x1b[6n"], True, "/tmp"),
    (["nop5:/tmp# \x1b[6n"], False, None),
    (["nop5:/tmp# \x1b[6n[    5.000123] livepatch: patching complete\r\n"], True, "/tmp"),
    (["nop5:/tmp# \x1b[6n[    5.000123] one\r\n[    5.0", "00124] two\r\n"], True, "/tmp"),
    (["hello\r\nnop5:/# \x1b[6n", "\x1b[J"], False, "/"),
    (["nop5:/tmp# \x1b[6n", "\x1b[Jls\r\n"], False, None),
])
def test_the_page_finds_the_prompt_also_in_front_of_messages_of_the_kernel(printed, answered, prompt):
    code = f"""
        const {{ Machine }} = await import("{(WEB / 'machine.js').as_uri()}");
        const machine = new Machine({{}});
        machine.lines = {{ pace() {{}}, write: (line, bytes) => bytes.length }};
        for (const text of {json.dumps(printed)})
            machine.print(new TextEncoder().encode(text));
        if ({json.dumps(answered)})
            machine.type({json.dumps(chr(27) + "[24;12R")});
        console.log(JSON.stringify(machine.directory));"""
    said = subprocess.run(["node", "--input-type=module", "-e", code], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert json.loads(said) == prompt


@pytest.mark.tools
def test_the_page_takes_the_same_files_out_of_frames_as_the_scripts():
    frames = [exporting.HELLO, exporting.frame(trace_link.FILES, 1, b"a\0\3\0\0\0one" + b"b\0\0\0\0\0" + b"c\0\2\0\0\0\0\1"),
              exporting.frame(trace_link.FILE, 2, b"a\0begin", flags=trace_link.FIRST), exporting.frame(trace_link.FILE, 3, b"a\0, end")]
    code = f"""
        const {{ Scanner, traceOf }} = await import("{(WEB / 'channel.js').as_uri()}");
        const frames = new Scanner().feed(Buffer.from("{b''.join(frames).hex()}", "hex")).map(frame => ({{ ...frame, payload: frame.body }}));
        const files = Object.entries(traceOf(frames).files).map(([name, parts]) => [name, Buffer.concat(parts).toString("latin1")]);
        console.log(JSON.stringify(Object.fromEntries(files)));"""
    said = subprocess.run(["node", "--input-type=module", "-e", code], check=True, text=True, stdout=subprocess.PIPE).stdout
    files = exporting.trace_dat.Transfer(io.BytesIO(b"".join(frames))).files
    assert json.loads(said) == {name: data.decode("latin1") for name, data in files.items()} == {"a": "begin, end", "b": "", "c": "\0\1"}


# The page itself, in Chromium.
class Browser:
    """The page in headless Chromium: web_page.js says what its methods are."""

    def __init__(self, directory, *options):
        self.process = subprocess.Popen(["node", ROOT / "tests/boot/web_page.js", HOME / "node_modules", directory, *options], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __getattr__(self, method):
        def call(*arguments):
            self.process.stdin.write(json.dumps([method, *arguments]) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
            assert "error" not in answer, answer["error"]
            return answer["result"]

        return call

    def boot(self, cpus):
        self.select("#cpus", str(cpus))
        self.click("#boot")
        self.prompt()

    def lines(self, command, directory=TRACING):
        """What a command prints, without its echo and the prompt."""
        said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", self.run(directory, command)).replace("\r", "")
        return said.partition(f"{command}\n")[2].split("\n")[:-1]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def site():
    """The directory of the page, after `make web`, and playwright-core."""
    subprocess.run(["make", "-s", "web"], cwd=ROOT, check=True)
    install()
    return BUILD / "web"


@pytest.fixture
def browser(site):
    started = []

    def start(*options, address="/", **how):
        started.append(Browser(site, *options))
        started[-1].open(address, how)
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.soak
@pytest.mark.parametrize("cpus", [2, 4])
def test_tracers_live_patches_and_histograms_work_in_a_browser(browser, cpus):
    tab = browser("--headers")
    tab.boot(cpus)
    assert tab.lines("grep -c ^processor /proc/cpuinfo") == [str(cpus)]
    tab.run(TRACING, "echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; cat /proc/version")
    assert any(re.search(r"vfs_read <-ksys_read", line) for line in tab.lines("cat trace"))
    calls = int(re.search(r"(\d+) calls", tab.wait("#count", r"[1-9]\d* calls"))[1])
    assert calls == len([line for line in tab.lines("cat enabled_functions") if line.startswith("vfs_")])
    tab.run(TRACING, "echo nop > current_tracer; echo > set_ftrace_filter")
    tab.wait("#count", r": 0 calls, 0 breakpoints, 0 others")

    tab.run(TRACING, "echo vfs_open > set_graph_function; echo function_graph > current_tracer; cat /proc/version")
    assert any("vfs_open() {" in line for line in tab.lines("cat trace"))
    assert tab.lines("cat /sys/kernel/debug/ftrace_verify")[0].endswith(" sites, 0 mismatches")
    tab.run(TRACING, "echo nop > current_tracer; echo > set_graph_function")

    tab.run(TRACING, "modprobe livepatch-sample")
    tab.run(TRACING, "while grep -q 1 /sys/kernel/livepatch/*/transition; do sleep 0.1; done")
    assert tab.lines("cat /proc/cmdline") == ["this has been live patched"]

    tab.run(TRACING, "echo 'hist:keys=id.syscall' > events/raw_syscalls/sys_enter/trigger; ls /proc > /dev/null")
    assert any(re.search(r"sys_getdents64\s.*hitcount: +[1-9]", line) for line in tab.lines("cat events/raw_syscalls/sys_enter/hist"))
    tab.run(TRACING, "echo '!hist:keys=id.syscall' > events/raw_syscalls/sys_enter/trigger")
    tab.click("#verify")
    assert re.fullmatch(r"\d+ sites, 0 mismatches\s*", tab.wait("#verified", "mismatches"))
    assert tab.problems() == []


@pytest.mark.soak
def test_the_machine_powers_off_and_boots_again(browser):
    tab = browser("--headers", "--encoded")
    tab.boot(1)
    tab.click("#terminal")
    tab.write("poweroff")
    tab.press("Enter")
    tab.wait("#state", "^off$")
    tab.boot(2)
    assert tab.lines("nproc") == ["2"]
    tab.write("reboot")
    tab.press("Enter")
    tab.evaluate("new Promise(resolve => nop5.machine.addEventListener('state', resolve, { once: true })).then(() => 0)")
    tab.prompt()
    assert tab.lines("nproc") == ["2"]


@pytest.mark.soak
def test_a_saved_trace_is_a_trace_dat_that_the_page_and_trace_convert_read(browser, images, tmp_path):
    tab = browser("--headers")
    tab.boot(2)
    tab.run(TRACING, "echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; cat /proc/version; echo 0 > tracing_on")
    ours = [line for line in tab.lines("cat trace") if not line.startswith("#")]
    tab.click("#take")
    tab.download("#save", str(tmp_path / "trace.dat"))
    text = subprocess.run([images / "scripts/trace-convert", tmp_path / "trace.dat", "-f", "ftrace"], check=True, text=True, stdout=subprocess.PIPE).stdout
    theirs = [line for line in text.splitlines() if not line.startswith("#")]
    assert set(ours) <= set(theirs) and len(ours) > 5
    shown = tab.frame("#trace iframe", "document.body.textContent")
    tab.evaluate("document.getElementById('trace').hidden = true")
    tab.upload("#open", str(tmp_path / "trace.dat"))
    tab.wait("#trace:not([hidden])", "")
    assert "vfs_open" in shown and tab.frame("#trace iframe", "document.body.textContent") == shown
    assert re.search(r'"where":\[[^]]*"fs/[\w/]+\.c:\d+"', shown)
    assert tab.lines("dmesg | grep throttling") == []


def seconds_of_a_count(tab):
    """The guest's time in which a program executes the same instructions."""
    said = "\n".join(tab.lines("time wc /bin/busybox"))
    return float(re.search(r"^user\s+0m ([\d.]+)s", said, re.M)[1])


@pytest.mark.soak
def test_an_instruction_takes_the_same_time_beside_idle_cpus(browser):
    tab = browser("--headers")
    tab.boot(1)
    alone = seconds_of_a_count(tab)
    tab.boot(4)
    assert 0.9 * alone < seconds_of_a_count(tab) < 1.1 * alone


@pytest.mark.soak
def test_the_page_leads_to_the_recorded_traces(browser):
    tab = browser("--headers", width=420, height=800)
    assert tab.evaluate("document.querySelectorAll('#recorded li a').length") == 12
    tab.click("#recorded li a")
    tab.wait("#questions h2", r"^1\. A list of calls$")
    tab.evaluate("document.querySelector('#questions a').click()")
    tab.wait("#questions h2", r"^2\. A tree of calls$")


@pytest.mark.soak
def test_a_server_without_headers_and_without_compression_is_enough(browser, site):
    tab = browser(address="/#tracefs.md")
    assert tab.evaluate("crossOriginIsolated") is True
    assert tab.evaluate("document.getElementById('chapter').value") == "tracefs.md"
    tab.boot(1)
    assert tab.lines("echo works") == ["works"]
    hosts = {re.match(r"\w+://([^/:]+)", request)[1] for request in tab.requests() if not request.startswith(("blob:", "data:"))}
    assert hosts == {"localhost"}
    files = {re.sub(r"[?#].*", "", request).rpartition("/")[2] or "index.html" for request in tab.requests() if request.startswith("http")}
    assert sum((site / name).stat().st_size for name in files if (site / name).exists()) <= 4_000_000


@pytest.mark.soak
def test_a_trace_is_two_clicks_away_and_keys_are_enough(browser):
    tab = browser("--headers", width=420, height=800, colorScheme="dark")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth") is True
    tab.evaluate("document.getElementById('cpus').focus()")
    tab.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "boot"
    tab.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "first"
    tab.press("Enter")
    tab.until("""(({ active }) => Array.from({ length: active.length }, (_, at) => active.getLine(at).translateToString())
        .some(line => /(vfs|tty)_\\w+ <-/.test(line)))(nop5.console.terminal.buffer)""")
    tab.evaluate("document.querySelector('#terminal textarea').focus()")
    tab.press("Control+]")
    assert tab.evaluate("document.activeElement.id") == "open"
    seen = []
    for _ in range(20):  # past the twelve recorded traces
        tab.press("Tab")
        seen.append(tab.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"verify", "chapter", "read", "type"} <= set(seen)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth") is True
