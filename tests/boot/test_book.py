"""The book: what `make book` writes has no dead link, and its search finds sections."""
import functools
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from browser import browse
from nop5 import ROOT, host

sys.path.append(str(ROOT / "web"))
import traces  # noqa: E402
import transcripts  # noqa: E402

BOOK = ROOT / "scripts/book/book"
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PICTURES = sorted((ROOT / "docs/pictures").glob("*.svg"))


class Page:
    """The links and anchors of one page, as scripts/book writes them."""

    def __init__(self, path):
        text = path.read_text()
        self.links = [unescape(link) for link in re.findall(r'\b(?:href|src)="([^"]*)"', text)]
        self.ids = re.findall(r'\bid="([^"]*)"', text)
        # [(link, what it stands at)]
        self.sources = re.findall(r'<a class="source" href="([^"]+)"><code>([^<]+)</code>', text)


def make_book(out, *options):
    return host([BOOK, *options, "-o", out], check=True, text=True, stdout=subprocess.PIPE).stdout


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    out = tmp_path_factory.mktemp("book")
    make_book(out)
    return out


@pytest.fixture(scope="module")
def pages(book):
    """{path: page} of the whole book."""
    return {path: Page(path) for path in book.rglob("*.html")}


def test_each_link_of_the_book_leads_to_a_page_and_an_anchor_that_exist(pages):
    anchors = {path: set(page.ids) for path, page in pages.items()}
    # Looks each target up once: hundreds of thousands of links lead to some thousand targets.
    target_of = functools.cache(lambda folder, target: (folder / unquote(target)).resolve())
    is_file = functools.cache(Path.is_file)
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"https?:|(?:\.\./)+web/", target):  # `make web` is beside the book
                continue
            where = target_of(path.parent, target) if target else path
            assert is_file(where), f"{path.name}: {link}"
            if anchor:
                assert unquote(anchor) in anchors[where], f"{path.name}: {link}"


def test_each_chapter_with_transcripts_leads_to_them_in_the_page_in_a_browser(book, pages):
    shown = {chapter["file"] for chapter in transcripts.transcripts()} - {"README.md"}
    linked = {link.partition("#")[2]: (path, link) for path, page in pages.items() for link in page.links if "/web/index.html" in link and path.name != "print.html"}
    assert set(linked) == shown
    assert all((path.parent / link.partition("#")[0]).resolve() == book.parent / "web/index.html" for path, link in linked.values())


def test_each_recorded_trace_is_linked_from_its_section(book, pages):
    links = [link for link in pages[book / "twelve-traces.html"].links if "/web/traces/" in link]
    assert links == [f"../web/traces/{trace['name']}.html" for trace in traces.exercises()] and len(links) == 12
    text = (book / "twelve-traces.html").read_text()
    for trace, link in zip(traces.exercises(), links):
        assert text.index(f">{trace['heading']}</h2>") < text.index(link) < text.index("<pre", text.index(f">{trace['heading']}</h2>"))


def test_no_page_of_the_book_has_an_anchor_twice(pages):
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), f"{path.name}: {page.ids}"


def test_a_function_in_a_chapter_is_a_link_to_a_line_that_names_it(book, pages):
    checked = 0
    for path, page in pages.items():
        for link, text in page.sources:
            target, _, anchor = link.partition("#L")
            if anchor:
                source = (path.parent / target).resolve().relative_to(book / "src")
                line = (ROOT / str(source).removesuffix(".html")).read_text().splitlines()[int(anchor) - 1]
                assert text.removesuffix("()").removeprefix("__x64_sys_") in line, f"{path.name}: {text}: {source}: {line}"
                checked += 1
    assert checked > 500


def answers_link(book, stem):
    """The link from a chapter or a handout to its answers; "" if it has none."""
    page = next(path for path in (book / f"{stem}.html", book / f"labs/{stem}.html") if path.exists())
    return next((link for link in Page(page).links if link.endswith(f"answers/{stem}.html")), "")


def test_the_book_has_all_chapters_in_the_order_of_reading(book, pages):
    order = [link for link in Page(book / "index.html").links if re.fullmatch(r"[\w/-]+\.html", link)]
    text = (book / "print.html").read_text()
    for path in DOCS:
        name = "index.html" if path.name == "README.md" else str(path.relative_to(ROOT / "docs").with_suffix(".html"))
        assert name in order or answers_link(book, path.stem).endswith(name), f"the book does not list {name}"
        assert f'<article id="{name.removesuffix(".html").replace("/", "-")}">' in text, f"print.html lacks {name}"
    assert order.index("ftrace-sites.html") < order.index("text-patching.html") < order.index("ftrace-ops.html")
    assert "ftrace-ops.html" in (book / "write-a-tracer.html").read_text().partition("<footer>")[2]


def test_a_chapter_has_one_name_in_the_contents_and_in_the_menu_of_each_page(book):
    contents = (book / "index.html").read_text().partition("<article>")[2].partition("<footer>")[0]
    names = dict(re.findall(r'<td><a href="([^"]+)">([^<]+)</a></td>', contents))
    assert len(names) > 70 and names["ftrace-sites.html"] == "call sites"
    for page in ("index.html", "rcu.html", "labs/01-call-sites.html"):
        menu = (book / page).read_text().partition('<nav id="menu"')[2]
        targets = {str((book / page).parent.joinpath(href).resolve().relative_to(book)): name
                   for href, name in re.findall(r'<a(?: class="here")? href="([^"]+)">([^<]+)</a>', menu)}
        assert targets == names, page


def test_a_chapter_begins_with_links_to_its_sections_and_each_page_leads_to_the_glossary(book):
    text = (book / "ftrace-ops.html").read_text()
    listed = re.search(r'<nav class="sections".*?</nav>', text, re.S).group(0)
    assert re.findall(r'href="#([^"]+)"', listed) == re.findall(r'<h2 id="([^"]+)"', text)
    assert 'href="glossary.html"' in text and 'href="../glossary.html"' in (book / "labs/01-call-sites.html").read_text()
    words = re.findall(r"^<td>([^<]+)</td>$", (book / "glossary.html").read_text(), re.M)
    assert {"sub-buffer", "TCG", "PVH", "CFI"} <= set(words)


@pytest.mark.tools
@pytest.mark.parametrize("width, dark", [(420, False), (420, True), (1280, False)])
def test_a_chapter_fits_the_window_and_begins_in_the_first_screen(book, width, dark):
    for page in ("ftrace-ops.html", "index.html", "architecture.html", "labs/01-call-sites.html"):
        places, _ = browse(book / page, """
            return page.evaluate(() => ({ wide: document.documentElement.scrollWidth, top: document.querySelector("h1").getBoundingClientRect().top,
                search: document.querySelector("#search").getBoundingClientRect().bottom }));""", width=width, dark=dark)
        assert places["wide"] <= width, page
        assert places["search"] <= places["top"] < 200, page


@pytest.mark.soak
def test_answers_and_solutions_of_labs_can_be_left_out(book, tmp_path):
    answers = {path.stem for path in (ROOT / "docs/answers").glob("*.md")}
    assert answers == {path.stem for path in (book / "answers").glob("*.html")}
    make_book(tmp_path / "book", "--no-answers")
    assert not (tmp_path / "book/answers").exists()
    for path in (tmp_path / "book").glob("*.html"):
        assert not any("answers/" in link for link in Page(path).links), path.name
    page, solution = "src/trace/ftrace/records.c.html", "text_encode_call("  # of lab 2
    assert solution in (book / page).read_text()
    assert "static void __init nop_all_sites(void)" in (tmp_path / "book" / page).read_text()
    assert solution not in (tmp_path / "book" / page).read_text().replace("that text_encode_call() makes", "")
    assert (book / "src/labs/diagnose/queue.c.html").exists() and not (tmp_path / "book/src/labs/diagnose").exists()
    assert "hidden = true }" not in (tmp_path / "book/src/labs/labs.toml.html").read_text()


@pytest.mark.parametrize("path", PICTURES, ids=lambda p: p.name)
def test_a_picture_is_an_image_without_references_and_some_page_shows_it(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("viewBox")
    for element in root.iter():
        assert not any(name.endswith("href") for name in element.attrib), "a picture must not load anything"
        assert not element.tag.endswith("script")
    assert any(path.name in page.read_text() for page in DOCS)


def test_the_pictures_are_those_that_the_script_draws(tmp_path):
    host([ROOT / "scripts/book/pictures", tmp_path], check=True)
    drawn = sorted(tmp_path.iterdir())
    assert len(drawn) >= 20
    for path in drawn:
        assert path.read_text() == (ROOT / "docs/pictures" / path.name).read_text(), f"{path.name}: run make pictures"


def test_the_search_index_has_each_section_of_each_chapter(book, pages):
    text = (book / "search-index.js").read_text()
    entries = json.loads(text.removeprefix("const BOOK = ").rstrip().removesuffix(";"))
    addresses = [address for address, *_ in entries]
    assert len(set(addresses)) == len(addresses)
    for address in addresses:
        name, _, anchor = address.partition("#")
        assert anchor in pages[book / name].ids
    assert len({address.partition("#")[0] for address in addresses}) == len(DOCS)


@pytest.mark.tools
def test_the_search_finds_sections_that_contain_all_words_and_prefers_headings(book):
    code = "\n".join((book / name).read_text() for name in ("search-index.js", "search.js")) + """
        const print = query => console.log(JSON.stringify(search(BOOK, query).map(r => [r.address, r.excerpt])));
        print("breakpoint"); print("CACHE line"); print("zzzznothing"); print(" "); print("window size"); print("macos");"""
    result = host(["node", "-"], input=code, check=True, text=True, stdout=subprocess.PIPE)
    breakpoint, two_words, nothing, empty, window, macos = map(json.loads, result.stdout.splitlines())
    assert {"text-patching.html#the-breakpoint", "ptrace.html#a-breakpoint"} == {address for address, _ in breakpoint[:2]}
    assert two_words and nothing == [] and empty == []
    assert window[0][0] == "console.html#the-window-size" and macos
