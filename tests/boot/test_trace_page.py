"""A trace as a page: scripts/trace-convert -f html."""
import json
import re
import subprocess
import sys
from collections import Counter

import pytest

from browser import browse
from exporting import Port, convert, enlarge, record, transfer
from nop5 import ROOT, host

sys.path.append(str(ROOT / "scripts"))
import trace_page  # noqa: E402

PARTS = ROOT / "scripts/trace/page"


def make_page(trace, out, *options):
    """Makes a page, and returns what the converter has said."""
    result = host([ROOT / "scripts/trace-convert", trace, "-f", "html", "-o", out, *options], text=True, stderr=subprocess.PIPE)
    assert result.returncode == 0, result.stderr
    return result.stderr


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S).group(1)
    return json.loads(text)


def calls_of(data):
    """[(function, duration, return value)] of the calls that have returned, in the order of their returns."""
    opened, calls = {}, []
    for row in data["rows"]:
        if row[0] == 0:
            opened.setdefault(row[2], []).append(data["symbols"][row[4]])
        elif row[0] == 1:
            calls.append((opened[row[2]].pop(), row[4], row[5]))
        elif row[0] == 2:
            opened[row[2]].pop()
    return calls


@pytest.fixture(scope="module")
def traces(images, tmp_path_factory):
    directory = tmp_path_factory.mktemp("pages")
    for name, arguments in (("function", ["-l", "vfs_*", "ls", "/proc"]), ("graph", ["-p", "function_graph", "hackbench -g 1 -l 2"])):
        result = record("-o", f"{name}.dat", *arguments, cwd=directory)
        assert result.returncode == 0, result.stderr
        make_page(directory / f"{name}.dat", directory / f"{name}.html")
    return directory


def test_a_page_loads_nothing(traces):
    text = (traces / "graph.html").read_text()
    page = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S)
    assert not re.search(r"\bsrc=|<link|@import|url\(|fetch\(|XMLHttpRequest|https?:", page)


def test_a_page_has_each_call_with_its_duration(traces):
    calls = calls_of(data_of(traces / "graph.html"))
    events = json.loads(convert(traces / "graph.dat", "json"))["traceEvents"]
    theirs = Counter((e["name"], round(1000 * e.get("args", {}).get("measured_us", e["dur"])))
                     for e in events if e["ph"] == "X" and "return" not in e.get("args", {}))
    assert Counter(call[:2] for call in calls) == theirs and len(calls) > 1000


def line_of(place):
    """The text of a line of the sources, "FILE:LINE"."""
    path, _, number = place.partition(":")
    return (ROOT / path).read_text().splitlines()[int(number) - 1]


def test_a_page_has_return_values_callers_and_the_events_between_the_calls(boot, tmp_path):
    port = Port(tmp_path)
    machine = boot(cpus=1, extra=port.arguments)
    machine.check("cd /sys/kernel/tracing; echo do_sys_openat2 > set_graph_function; echo 1 > options/funcgraph-retval")
    machine.check("echo 1 > options/funcgraph-retaddr")
    machine.check("echo 1 > events/kmem/kmalloc/enable; echo function_graph > current_tracer")
    machine.run("cat /no/such/file")
    machine.check("echo '<b>&</script>' > trace_marker; echo 0 > tracing_on")
    transfer(machine, port, tmp_path / "trace.dat")
    make_page(tmp_path / "trace.dat", tmp_path / "trace.html")
    data = data_of(tmp_path / "trace.html")
    assert [value for name, _, value in calls_of(data) if name == "do_sys_openat2"].count("-2") == 1
    callers = {data["symbols"][row[4]]: data["places"][row[5]] for row in data["rows"] if row[0] == 0}
    assert "getname(" in line_of(callers["getname"]) and "do_filp_open(" in line_of(callers["do_filp_open"])
    events = [row[4:] for row in data["rows"] if row[0] == 3]
    assert any(name == "kmalloc" and "bytes_req=" in text for name, text in events)
    assert ["print", "<b>&</script>"] in events and (tmp_path / "trace.html").read_text().count("</script>") == 2


def test_each_function_of_a_page_leads_to_its_line_and_each_traced_call_to_the_line_of_the_call(traces):
    data = data_of(traces / "function.html")
    where = dict(zip(data["symbols"], data["where"]))
    assert re.search(r"\bssize_t vfs_read\(", line_of(where["vfs_read"]))
    calls = {(data["symbols"][row[4]], data["symbols"][row[5]]): data["places"][row[6]] for row in data["rows"] if row[0] == 4}
    assert "vfs_read(" in line_of(calls["vfs_read", "ksys_read"])
    assert len(where) > 5 and all(where.values())


def test_without_the_kernel_of_the_trace_a_page_has_no_lines_of_sources(traces, tmp_path):
    said = make_page(traces / "function.dat", tmp_path / "page.html", "--build", tmp_path)
    data = data_of(tmp_path / "page.html")
    assert "is not the kernel of this trace" in said and not any(data["where"] + data["places"])


def test_the_links_of_a_page_lead_to_the_book_that_is_named(traces, tmp_path):
    make_page(traces / "function.dat", tmp_path / "page.html", "--book", "https://example.org/nop5")
    assert data_of(tmp_path / "page.html")["book"] == "https://example.org/nop5/"
    (tmp_path / "book").mkdir()
    said = make_page(traces / "function.dat", tmp_path / "page.html", "--book", tmp_path / "book")
    assert data_of(tmp_path / "page.html")["book"] == "book/" and "`make book` makes it" in said


# ---- in a browser ----

@pytest.mark.tools
def test_the_model_of_a_page_counts_as_the_folded_stacks_do(traces):
    code = (PARTS / "model.js").read_text() + f"""
        const trace = loadTrace({json.dumps(data_of(traces / "graph.html"))});
        const functions = [...trace.functions.values()].map(f =>
            [trace.symbols[f.symbol], f.count, f.self, histogram(trace, f.ids).reduce((sum, bar) => sum + bar.ids.length, 0)]);
        let inside = 0;
        for (let id = 0; id < trace.count; id++)
            if (trace.parent[id] >= 0)
                inside += id > trace.parent[id] && id <= trace.parent[id] + trace.size[trace.parent[id]] &&
                    trace.start[id] >= trace.start[trace.parent[id]] && trace.end[id] <= trace.end[trace.parent[id]];
            else
                inside++;
        console.log(JSON.stringify([functions, inside === trace.count, searchTrace(trace, "VFS_read").length]));"""
    functions, nested, found = json.loads(host(["node", "-"], input=code, check=True, text=True, stdout=subprocess.PIPE).stdout)
    folded = Counter()
    for line in convert(traces / "graph.dat", "folded").splitlines():
        stack, value = line.rsplit(" ", 1)
        folded[stack.rpartition(";")[2]] += int(value)
    self_time = Counter()  # two static functions may have the same name
    for name, count, value, in_bars in functions:
        self_time[name] += value
        assert count == in_bars
    assert nested and found >= next(count for name, count, _, _ in functions if name == "vfs_read") > 0
    assert self_time == folded


@pytest.mark.tools
@pytest.mark.parametrize("width, dark", [(1280, False), (420, True)])
def test_the_slowest_call_is_found_by_clicking_and_leads_to_its_source(traces, width, dark):
    durations = [call for call in calls_of(data_of(traces / "graph.html")) if call[0] == "pipe_write_iter"]
    slowest = max(duration for _, duration, _ in durations)
    facts, loaded = browse(traces / "graph.html", """
        await page.click("text=functions");
        await page.fill("#search", "pipe_write_iter");
        await page.click("#functions .row >> nth=0");
        await page.click("#panel .calls button >> nth=0");
        const selected = await page.textContent("#tree .selected a");
        const duration = await page.textContent("#tree .selected .duration");
        const link = await page.getAttribute("#tree .selected a", "href");
        await page.click("text=in the lanes");
        const length = await page.evaluate(() => globalThis.page.views.lanes.to - globalThis.page.views.lanes.from);
        return { selected, duration, link, length, facts: await page.textContent("#panel dl") };""", width=width, dark=dark)
    value, unit = facts["duration"].split()
    assert facts["selected"] == "pipe_write_iter()"
    assert f"{slowest / {'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]:.3f}" == value
    assert re.search(r"book/src/fs/\S+\.c\.html#L\d+$", facts["link"]) and "defined in" in facts["facts"]
    assert slowest <= facts["length"] < 3 * slowest and len(loaded) == 1


@pytest.mark.tools
def test_a_page_of_a_hundred_thousand_events_draws_only_what_is_in_sight(traces, tmp_path):
    """What is drawn must not depend on the length of the trace: the number of elements, and of bars that are less than a pixel apart."""
    enlarge(traces / "graph.dat", tmp_path / "long.dat", 8_000_000)
    make_page(tmp_path / "long.dat", tmp_path / "long.html")
    drawn, _ = browse(tmp_path / "long.html", """
        return page.evaluate(async () => {
            const { trace, views } = globalThis.page, frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            views.tree.foldAll(true);
            const all = views.tree.list.count;
            views.tree.box.scrollTop = views.tree.box.scrollHeight;
            await frames();
            const end = views.tree.shown[views.tree.list.rows.lastChild.index], elements = document.querySelectorAll("#tree *").length;
            let bars = 0;
            views.lanes.view.bar = () => bars++;
            globalThis.page.open("lanes");
            await frames();
            await frames();
            return { count: trace.count, all, end, elements, bars, last: trace.tasks.at(-1).first + trace.tasks.at(-1).count - 1 };
        });""")
    assert drawn["count"] > 100_000 and drawn["all"] > drawn["count"] and drawn["end"] == drawn["last"]
    assert drawn["elements"] < 1000 and 100 < drawn["bars"] < 20_000


@pytest.mark.tools
def test_keys_fold_and_search_unfolds(traces):
    (opened, closed, found, selected), _ = browse(traces / "graph.html", """
        await page.click("#fold");
        await page.focus("#tree");
        await page.keyboard.press("Home");
        const state = () => page.evaluate(() => document.querySelector("#tree .selected").getAttribute("aria-expanded"));
        await page.keyboard.press("ArrowRight");
        const open = await state();
        await page.keyboard.press("ArrowLeft");
        const closed = await state();
        await page.fill("#search", "pipe_write_iter");
        await page.press("#search", "Enter");
        return [open, closed, await page.textContent("#found"), await page.textContent("#tree .selected")];""")
    assert (opened, closed) == ("true", "false") and re.match(r"2 of \d+$", found) and "pipe_write_iter()" in selected


HOSTILE = "<img src=x onerror=hacked=1>&amp;\"'</script><script>hacked=2</script><!--@DATA@ @TITLE@\u2028"


def hostile():
    """A trace whose every text is HTML and more."""
    rows = [[0, 0, 0, 0, 0, 1], [3, 5, 0, 0, HOSTILE, HOSTILE], [5, 6, 0, 0, [0, 1, 0]], [1, 10, 0, 0, 9, HOSTILE], [4, 20, 0, 0, 0, 1, 0], [6, 30, 0, -1]]
    question = {"ask": HOSTILE, "value": HOSTILE, "unit": "", "why": HOSTILE}
    return {"rows": rows, "tasks": [HOSTILE], "cpus": 1, "start": 0, "symbols": [HOSTILE, "b"], "where": [f"fs/{HOSTILE}.c:1", ""],
            "places": ["", ""], "book": "book/",
            "exercise": {"title": HOSTILE, "about": HOSTILE, "commands": [HOSTILE], "questions": [question], "next": ""}}


@pytest.mark.tools
def test_names_that_are_html_are_shown_as_they_are(tmp_path):
    (tmp_path / "page.html").write_text(trace_page.page_of(hostile(), HOSTILE))
    shown, loaded = browse(tmp_path / "page.html", """
        const texts = [];
        await page.click("text=unfold all");
        await page.press("#tree", "Home");
        for (let row = 0; row < 4; row++) {
            await page.press("#tree", "ArrowDown");
            texts.push(await page.textContent("#panel h2"));
        }
        for (const view of ["lanes", "flame", "functions"])
            await page.click(`[data-view=${view}]`);
        await page.press("#functions .list", "ArrowDown");
        return page.evaluate(texts => ({ texts, tree: document.getElementById("tree").textContent, title: document.title, task: document.querySelector("#task").textContent,
            questions: document.querySelector("#questions").textContent, hacked: globalThis.hacked, images: document.images.length,
            scripts: document.scripts.length }), texts);""")
    assert "hacked" not in shown and (shown["images"], shown["scripts"]) == (0, 2) and len(loaded) == 1
    assert {HOSTILE, HOSTILE + "()"} <= set(shown["texts"])
    for place in ("tree", "task", "questions"):
        assert HOSTILE in shown[place], place
    assert shown["title"].startswith(HOSTILE[:20])


@pytest.mark.tools
def test_a_stack_belongs_to_the_event_before_it_or_is_an_event_of_its_own():
    data = {"tasks": ["a-1", "b-2"], "cpus": 1, "symbols": ["f", "g", "h"], "where": [""] * 3, "places": [""], "rows": [
        [5, 0, 0, 0, [0, 1]],  # of a trigger: nothing before it
        [3, 1, 0, 0, "x", "x"], [3, 2, 1, 0, "y", "y"], [5, 3, 0, 0, [1, 2]],  # of the event x, behind one of another task
        [5, 4, 0, 0, [2, 0]],  # x has its stack already
        [0, 5, 0, 0, 0, 0], [5, 6, 0, 0, [0, 2]], [1, 7, 0, 0, 2, ""]]}
    code = (PARTS / "model.js").read_text() + f"""
        const t = loadTrace({json.dumps(data)});
        console.log(JSON.stringify(Array.from({{ length: t.count }}, (_, id) => [nameOf(t, id), t.stacks.get(id) ?? null])));"""
    items = json.loads(host(["node", "-"], input=code, check=True, text=True, stdout=subprocess.PIPE).stdout)
    assert items == [["stack", [0, 1]], ["x", [1, 2]], ["stack", [2, 0]], ["f", None], ["stack", [0, 2]], ["y", None]]


@pytest.mark.tools
def test_keys_choose_a_function_and_move_in_the_flame_graph(traces):
    (rows, path), _ = browse(traces / "graph.html", """
        await page.click("[data-view=functions]");
        const rows = [];
        for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) {
            await page.press("#functions .list", key);
            rows.push([await page.textContent("#functions .selected .name"), await page.textContent("#panel h2")]);
        }
        await page.click("[data-view=flame]");
        const path = [];
        for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowUp"]) {
            await page.press("#flame", key);
            path.push(await page.evaluate(() => globalThis.page.views.flame.path.map(node => node.name)));
        }
        return [rows, path];""")
    assert all(title == f"{name}()" for name, title in rows) and rows[0] == rows[2] != rows[1]
    assert [len(names) for names in path] == [2, 3, 3, 3, 2, 1] and path[1] == path[3] != path[2] and path[5] == ["all"]
