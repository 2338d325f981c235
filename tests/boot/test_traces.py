"""The recorded traces with questions (docs/twelve-traces.md, web/traces.py): what was recorded, and that each answer is true of its trace."""
import json
import re
import subprocess
import sys

import pytest

from browser import browse
from exporting import convert
from nop5 import ROOT
from test_trace_page import data_of, line_of

sys.path.append(str(ROOT / "web"))
import traces  # noqa: E402

# What the answers must be as long as the kernel does what it does. Others are numbers of the recording.
KNOWN = {
    "calls": ["ksys_read", "2", "vfs_open", "vfs_iter_write"],
    "graph": ["0x3", "alloc_fd", "do_filp_open", None],
    "events": ["S", "sched_waking", None, "0x0"],
    "wakeup": ["49", None, "R", "0"],
    "irqsoff": ["udelay", None, "irq_test"],
    "histogram": [None, None, None],
    "stacks": ["__x64_sys_clone", "dup_mm", None],
    "lost": [None, None, None],
    "faults": ["alloc_pages", "tmpfs_fault", None, None],
    "fork": ["3", None, None, "sched_process_free"],
    "kprobe": ["3", "-2", "tracing_on"],
    "patch": ["seq_fill", "livepatch_cmdline_proc_show", None],
}


@pytest.fixture(scope="module")
def pages(images, tmp_path_factory):
    """{name: page}"""
    out = tmp_path_factory.mktemp("web") / "traces"
    return {trace["name"]: out / f"{trace['name']}.html" for trace in traces.write_pages(images, out)}


@pytest.fixture(scope="module")
def lines(pages):
    """{name: [(nanoseconds, text)]} of what the pages show."""
    return {name: traces.lines_of(data_of(page)) for name, page in pages.items()}


def test_each_trace_has_a_section_of_the_chapter_and_two_to_four_questions():
    found = traces.exercises()
    assert [trace["heading"] for trace in found] == [heading for heading in traces.sections() if heading]
    assert len(found) == 12 and all(2 <= len(trace["question"]) <= 4 for trace in found)
    for question in (question for trace in found for question in trace["question"]):
        assert sum(kind in question for kind in ("find", "count", "most", "from")) == 1 and {"ask", "why"} < question.keys()
        assert "{}" in question["why"]


def test_each_answer_is_found_in_the_trace_that_its_page_shows(pages, lines):
    for trace in traces.exercises():
        shown = data_of(pages[trace["name"]])["exercise"]["questions"]
        for question, value, known in zip(trace["question"], shown, KNOWN[trace["name"]], strict=True):
            assert value["value"] == traces.answer(question, lines[trace["name"]]), question["ask"]
            assert known in (None, value["value"]), question["ask"]
            assert value["value"] in value["why"] and "{}" not in value["why"]


def test_the_names_in_the_answers_are_in_the_text_of_the_trace(pages, images):
    for trace in traces.exercises():
        words = set(re.findall(r"\w+", convert(images / f"traces/{trace['name']}.dat", "ftrace")))
        for question, shown in zip(trace["question"], data_of(pages[trace["name"]])["exercise"]["questions"]):
            if re.fullmatch(r"[a-z_]{4,}", shown["value"]):
                assert shown["value"] in words, f"{trace['name']}: {shown['value']}"


def test_a_question_without_an_answer_fails(lines):
    for question in ({"find": "no such (text)"}, {"count": "no such"}, {"most": "no (such) (text)"}, {"from": "vfs_read", "to": "no such"}):
        with pytest.raises(traces.TraceError):
            traces.answer({"ask": "?", **question}, lines["calls"])


def test_the_histogram_has_counted_the_events_beside_it(lines):
    text = "\n".join(line for _, line in lines["histogram"])
    sizes = [int(size) for size in re.findall(r"bytes_req=(\d+)", text)]
    bars = {int(power): int(count) for power, count in re.findall(r"~ 2\^(\d+) *} hitcount: +(\d+)", text)}
    counted = {power: sum(2 ** power // 2 < size <= 2 ** power for size in sizes) for power in bars}
    assert bars == counted and sum(bars.values()) == len(sizes) > 50


def test_functions_of_modules_and_calls_in_them_lead_to_their_lines(pages):
    patch, irqsoff = data_of(pages["patch"]), data_of(pages["irqsoff"])
    where = dict(zip(patch["symbols"], patch["where"]))["livepatch_cmdline_proc_show"]
    assert where.startswith("modules/livepatch-sample.c:") and "livepatch_cmdline_proc_show(" in line_of(where)
    places = {irqsoff["symbols"][row[4]]: irqsoff["places"][row[6]] for row in irqsoff["rows"] if row[0] == 4 and irqsoff["symbols"][row[5]] == "execute"}
    assert places["udelay"].startswith("modules/preemptirq_delay_test.c:") and "udelay(" in line_of(places["udelay"])


@pytest.mark.soak
def test_another_recording_has_the_answers_too(images, pages, tmp_path):
    traces.record(images, tmp_path)
    for trace in traces.exercises():
        _, again = traces.trace_page.convert(tmp_path / f"{trace['name']}.dat")
        for question, known in zip(trace["question"], KNOWN[trace["name"]], strict=True):
            assert traces.answer(question, traces.lines_of(again)) == known or known is None, question["ask"]


# ---- in a browser ----

@pytest.mark.tools
@pytest.mark.parametrize("width, dark", [(1280, False), (420, True)])
def test_the_page_says_whether_an_answer_is_right(pages, width, dark):
    said, loaded = browse(pages["calls"], """
        const form = page.locator("#questions form").first(), said = [];
        for (const text of ["ksys_write", "", "ksys_read()"]) {
            await form.locator("input").fill(text);
            await form.locator("input").press("Enter");
            said.push(await form.locator("output").textContent());
        }
        const hidden = await form.locator("details p").isVisible();
        await form.locator("summary").press("Enter");
        const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
        return { said, hidden, answer: await form.locator("details p").innerText(), fits, next: await page.getAttribute("#questions a", "href"),
            tree: await page.isVisible("#tree"), text: await page.textContent("#tree") };""", width=width, dark=dark)
    assert said["said"] == ["not yet", "not yet", "right"]
    assert not said["hidden"] and said["answer"].startswith("ksys_read()") and said["fits"] and said["next"] == "graph.html"
    assert said["tree"] == ("vfs_read() <- ksys_read" in said["text"]) == (width > 1100) and len(loaded) == 1


@pytest.mark.tools
def test_answers_may_be_written_in_several_ways():
    cases = [("0x3", "", ["3", "0x3", " 0X3 "], ["4", "", "0x"]), ("ksys_read", "", ["ksys_read", "ksys_read()", "KSYS_READ"], ["read", "()"]),
             ("500.258", "us", ["500.258", "500 us", "0.5 ms", "500.3µs"], ["400", "500 ms", "", "half"]), ("-2", "", ["-2"], ["2"])]
    code = f"""
        const {{ isRight }} = require("{ROOT}/scripts/trace/page/questions.js");
        const cases = {json.dumps(cases)};
        console.log(JSON.stringify(cases.map(([value, unit, ...both]) => both.map(texts => texts.map(text => isRight(text, {{ value, unit }}))))));"""
    said = json.loads(subprocess.run(["node", "-e", code], check=True, text=True, stdout=subprocess.PIPE).stdout)
    assert all(all(right) and not any(wrong) for right, wrong in said), said


@pytest.mark.tools
def test_the_panel_shows_the_stack_of_an_event(pages):
    shown, _ = browse(pages["stacks"], """
        await page.focus("#tree");
        await page.keyboard.press("End");
        return { stack: await page.locator("#panel .stack li").allTextContents(), link: await page.getAttribute("#panel .stack li:nth-child(2) a", "href") };""")
    assert shown["stack"][0] == "entry_SYSCALL_64_after_hwframe" and "kmem_cache_alloc" in shown["stack"]
    assert re.fullmatch(r"\.\./\.\./book/src/(?:kernel|fs|arch)/\S+\.c\.html#L\d+", shown["link"])
