"""The labs of the course: what the starter, the finished solution and the wrong solutions of each lab earn.

`make test` cuts all labs, and judges on the host what needs no kernel: the finished labs, and the wrong solutions in QUICK. `make soak`
judges everything. Each lab is built in build/labs/NN, once for all its tests: only the files that differ are compiled again.
"""
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from nop5 import BUILD, ROOT, eventually, is_running

sys.path.insert(0, str(ROOT / "scripts"))
import lab_build  # noqa: E402
import lab_cut  # noqa: E402
import lab_grade  # noqa: E402
import lab_report  # noqa: E402
import lab_table  # noqa: E402
import lab_test  # noqa: E402
import lab_tree  # noqa: E402
from test_docs import handout_blocks, type_handout  # noqa: E402

LABS = lab_table.load()
# Of each lab with tests that run on the host, a wrong solution that they find.
QUICK = {1: "base-added", 3: "round-before-the-step", 5: "limit-raised-last", 6: "waits-twice", 7: "half-an-extension", 10: "half-a-fifo",
         13: "number-without-one", 14: "place-of-the-sib", 15: "begins-at-the-start", 17: "linked-at-its-start", 18: "registers-only"}
SLOW = {7, 10, 13, 17, 18}  # their programs for the host take 10 s and more
EACH_LAB = [pytest.param(lab, id=f"lab{number:02}") for number, lab in LABS.items()]
EACH_MUTANT = [pytest.param(lab, mutant, id=f"lab{number:02}-{mutant.path.stem}",
                            marks=() if QUICK.get(number) == mutant.path.stem else (pytest.mark.soak,))
               for number, lab in LABS.items() for mutant in lab_table.mutants_of(lab)]


def judge(lab, submissions, only=None, kernel=True):
    """Grade in the lab's build directory, and return {test: Outcome}."""
    outcomes = lab_grade.grade(lab, BUILD / "labs" / f"{lab.number:02}", tree=ROOT, submissions=submissions, only=only,
                               build_from=ROOT, variant="judge", kernel=kernel)
    return {outcome.test.name: outcome for outcome in outcomes}


def judge_on_the_host(lab, submissions, only=None):
    """The outcomes of the tests that need no kernel."""
    outcomes = judge(lab, submissions, only, kernel=False)
    return {name: outcome for name, outcome in outcomes.items() if outcome.seen != lab_grade.NO_KERNEL}


def boot_judged(boot, lab):
    """The machine of the tree that judge() has built."""
    build = BUILD / "labs" / f"{lab.number:02}" / "build"
    return boot(build=build, **({} if (build / "rootfs.cpio").exists() else {"initrd": ""}))


def lost(outcomes):
    return {name: outcome.sentence for name, outcome in outcomes.items() if not outcome.passed}


def test_table_markers_tests_and_wrong_solutions_fit_together():
    result = subprocess.run([ROOT / "scripts/lab", "check"], text=True, stdout=subprocess.PIPE)
    assert result.returncode == 0, result.stdout


def test_the_table_is_read_with_tomli_where_python_has_no_tomllib():
    code = "import sys, tomllib; sys.modules.update(tomli=tomllib, tomllib=None); import lab_table; print(len(lab_table.load()))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "scripts", text=True, stdout=subprocess.PIPE, check=True)
    assert int(result.stdout) == len(LABS)


@pytest.mark.parametrize("lab", LABS.values(), ids=lambda lab: f"lab{lab.number:02}")
def test_each_lab_has_a_handout_with_all_its_parts_and_six_wrong_solutions(lab):
    text = (ROOT / lab.handout).read_text()
    for part in ("## Goal", "## Before you begin", "## Step 1", "<details>", "`make grade`", "## Questions", "## Challenge",
                 "## If you are stuck"):
        assert part in text, f"{lab.handout} has no {part}"
    assert len(lab_table.mutants_of(lab)) >= 6
    for test in lab.tests:
        if not test.hidden:
            assert re.search(rf"\| `{test.name}` \| {test.points} \|", text), f"{lab.handout} does not list {test.name}"


@functools.cache
def solved_parts():
    """{name: (text, parts)} of the files of the source with parts that students write."""
    texts = {name: (ROOT / name).read_text() for name in lab_cut.tracked_files(ROOT) if lab_cut.has_markers(ROOT / name)}
    return {name: (text, lab_cut.parts_of(text, name)) for name, text in texts.items() if "LAB " in text}


@pytest.mark.parametrize("lab", LABS.values(), ids=lambda lab: f"lab{lab.number:02}")
def test_a_starter_has_no_solution_and_no_marker_of_another_lab(lab):
    starter = {name: content for name, content, _ in lab_cut.starter_files(lab)}
    assert not [name for name in starter if name.startswith(("labs/mutants/", "docs/answers/")) or name.endswith("_hidden.py")]
    assert "hidden = true" not in starter["labs/labs.toml"].decode()
    for name in sorted(solved_parts().keys() & starter.keys()):
        text, parts = solved_parts()[name]
        cut = starter[name].decode()
        for part in parts:
            solution = text[part.comment_end:part.solution_end]
            is_cut = part.lab == lab.number and (not part.choice or part.choice[0] == lab_cut.chosen_part(lab.number, part.choice[1], ""))
            assert (solution in cut) != is_cut, f"{name}: lab {part.lab}"
            assert not (part.unmarked and part.hint in cut), f"{name}: lab {part.lab}"
        assert set(re.findall(r"LAB (\d+)", cut)) <= {str(lab.number)}


@pytest.mark.parametrize("lab", LABS.values(), ids=lambda lab: f"lab{lab.number:02}")
def test_a_starter_has_what_its_features_need_and_no_link_to_anything_else(lab):
    tree = lab_cut.tree_of(lab)
    sources = {name for name in tree.names if name.endswith((".c", ".asm")) and name.startswith(tuple(f"{room}/" for room in lab_table.ROOMS))}
    named = {name for name in lab_tree.linked(tree.features, ROOT)[1] if not name.startswith("selftest/")}
    assert sources == named and set(lab.files) <= tree.names
    assert lab.features is None or all(feature in tree.linked for feature in lab.features)
    texts = {name: tree.text(name, (ROOT / name).read_text()) for name in tree.names if name.endswith(".md")}
    for name, text in texts.items():
        for _, _, target in lab_tree.LINK.findall(text):
            path = os.path.normpath(os.path.join(os.path.dirname(name), target.partition("#")[0]))
            assert re.match(r"\w+:|#", target) or path in tree.names or (ROOT / path).is_dir(), f"{name}: {target}"
    assert f"({lab.handout})" in texts["README.md"] and "\n{" not in texts["README.md"]


def test_the_tree_of_lab_1_has_the_core_and_no_more():
    starter = {name: content for name, content, _ in lab_cut.starter_files(LABS[1])}
    assert {"kernel/monitor/monitor.c", "trace/ftrace/records.c", "docs/ftrace-sites.md", "labs/tests/lab01_lookup.c"} <= set(starter)
    folders = ("net/", "user/", "modules/", "selftest/", "kernel/syscalls/calls", "trace/hist/", "tests/boot/")
    assert not [name for name in starter if name.startswith(folders)]
    rows = re.findall(r"^\$\(call (\w+),([^,]*)", starter["features.mk"].decode(), re.M)
    assert rows == [("feature", "core"), ("feature", "ftrace"), ("feature", "debug")]
    assert "| `sockets` |" in starter["README.md"].decode().partition("left out here")[2]
    assert "histograms.md" not in starter["docs/README.md"].decode()


def test_each_wrong_solution_still_fits_the_source():
    fails = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "labs/mutants").glob("*/*.patch"))
             if subprocess.run(["patch", "--dry-run", "-s", "-f", "-p1", "-i", path], cwd=ROOT, stdout=subprocess.DEVNULL).returncode]
    assert not fails


@pytest.mark.soak
@pytest.mark.parametrize("lab", EACH_LAB)
def test_the_starter_builds_without_warnings_and_gets_its_floor(images, lab):
    outcomes = judge(lab, [])
    assert sum(outcome.points for outcome in outcomes.values()) == lab.floor, lost(outcomes)
    log = (BUILD / "labs" / f"{lab.number:02}" / "build/build.log").read_text()
    assert "warning:" not in log and "error:" not in log


@pytest.mark.soak
@pytest.mark.parametrize("lab", [lab for lab in LABS.values() if handout_blocks(ROOT / lab.handout, starter=True)],
                         ids=lambda lab: f"lab{lab.number:02}")
def test_the_starter_prints_what_its_handout_shows(images, boot, lab):
    judge(lab, [], only=["boots"])
    type_handout(boot_judged(boot, lab), ROOT / lab.handout, starter=True)


@pytest.mark.parametrize("lab", [pytest.param(LABS[number], marks=[pytest.mark.soak] if number in SLOW else [], id=f"lab{number:02}") for number in QUICK])
def test_the_solution_passes_the_tests_that_run_on_the_host(lab):
    outcomes = judge_on_the_host(lab, [ROOT])
    assert outcomes and lost(outcomes) == {}


@pytest.mark.soak
@pytest.mark.parametrize("lab", EACH_LAB)
def test_the_solution_gets_all_points(images, lab):
    assert lost(judge(lab, [ROOT])) == {}


@pytest.mark.soak
@pytest.mark.parametrize("lab", [lab for lab in LABS.values() if handout_blocks(ROOT / lab.handout, starter=False)],
                         ids=lambda lab: f"lab{lab.number:02}")
def test_the_solution_prints_in_the_labs_own_tree_what_its_handout_shows(images, boot, lab):
    judge(lab, [ROOT], only=["boots"])
    type_handout(boot_judged(boot, lab), ROOT / lab.handout, starter=False)


@pytest.mark.parametrize("lab, mutant", EACH_MUTANT)
def test_a_wrong_solution_loses_points_in_the_tests_that_name_its_mistake(tmp_path, lab, mutant):
    for name in re.findall(r"^--- a/(\S+)", mutant.path.read_text(), re.M):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(["patch", "-s", "-p1", "-d", tmp_path, "-i", mutant.path], check=True)
    outcomes = judge_on_the_host(lab, [ROOT, tmp_path], only=mutant.loses)
    if set(outcomes) != set(mutant.loses):
        outcomes = judge(lab, [ROOT, tmp_path], only=mutant.loses)
        log = (BUILD / "labs" / f"{lab.number:02}" / "build/build.log").read_text()
        assert "error:" not in log and "warning:" not in log, log
    assert set(lost(outcomes)) == set(mutant.loses), lost(outcomes)
    assert not [outcome.sentence for outcome in outcomes.values() if "to compile" in outcome.expected]


@pytest.fixture
def tree(tmp_path):
    """make_tree(N, CARRY=…) runs `make lab` and returns the new directory. Its path contains a blank."""
    def make_tree(number, name="tree", **variables):
        directory = tmp_path / "my labs" / name
        subprocess.run(["make", "-s", "lab", f"N={number}", f"DIR={directory}",
                        *(f"{key}={value}" for key, value in variables.items())], cwd=ROOT, check=True)
        return directory
    return make_tree


SOLVED = "\tunsigned low = 0, high = nr_records; /* mine */\n"


def test_carry_takes_over_what_a_student_did_in_earlier_labs(tree):
    first = tree(1, "first")
    records = first / "trace/ftrace/records.c"
    text = records.read_text()
    hint = "/* LAB 1: The records are sorted"
    assert hint in text and "high = nr_records" not in text
    records.write_text(text.replace("\t/* END LAB 1 */\n", SOLVED + "\t/* END LAB 1 */\n", 1))
    (first / "trace/ftrace/mine.c").write_text("/* My own file. */\n")
    (first / "labs/tests/lab01.py").write_text("forged")
    program = (first / "scripts/recordmcount.c").read_text().replace("/* END LAB 1 */", "/* mine */\n/* END LAB 1 */", 1)
    (first / "scripts/recordmcount.c").write_text(program)
    second = tree(2, "second", CARRY=first)
    carried = (second / "trace/ftrace/records.c").read_text()
    assert SOLVED in carried and carried.count("END LAB 2") == 2 and "TEXT_STEP_ALL" not in carried
    assert (second / "trace/ftrace/mine.c").exists()
    assert (second / "labs/tests/lab01.py").read_bytes() == (ROOT / "labs/tests/lab01.py").read_bytes()
    assert json.loads((second / ".lab/lab.json").read_text())["blank"] == [1, 2]
    # The kernel is built, and graded, with the student's own recordmcount.
    assert (second / "scripts/recordmcount.c").read_text() == program and "/* mine */" in program
    environment = {"PATH": os.environ["PATH"]}  # `make test` gives variables and flags of its own to what it runs
    settings = subprocess.run(["make", "-pn", "help"], cwd=second, env=environment, text=True, stdout=subprocess.PIPE).stdout
    assert re.search(r"^RECORDMCOUNT := build/scripts/recordmcount$", settings, re.M)
    carried = lab_grade.with_all_parts(LABS[2], lab_grade.source_of_starter(second, LABS[2], None))
    assert carried.may_change("scripts/recordmcount.c") and not LABS[2].may_change("scripts/recordmcount.c")


def test_a_students_tree_offers_only_targets_that_need_no_file_kept_back(tree):
    made, helps = tree(2), {}
    for directory in (ROOT, made):
        text = subprocess.run(["make", "help"], cwd=directory, text=True, stdout=subprocess.PIPE, check=True).stdout
        helps[directory] = set(re.findall(r"^make ([\w-]+)", text, re.M))
    kept = {"run", "debug", "grade", "test-kernel", "book", "clean", "help"}
    missing = helps[ROOT] - helps[made]
    assert helps[made] == kept and "test" in missing
    for target in missing:
        result = subprocess.run(["make", target], cwd=made, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert result.returncode == 2 and f"make {target} is for the whole source." in result.stderr and not result.stdout


def test_the_first_grading_takes_over_what_is_surely_built_from_the_same_sources(tmp_path):
    work, tree = tmp_path / "work", tmp_path / "tree"
    starter = {name: (name.encode(), None) for name in ("Makefile", "kernel/same.c", "kernel/mine.c", "scripts/rootfs", "user/old.c")}
    for directory in (work, tree):
        lab_cut.write_tree(directory, [(name, content, None) for name, (content, _) in starter.items()])
    for name in ("kernel/mine.c", "user/old.c"):
        (tree / name).write_text("changed")
    (work / "kernel/mine.c").write_text("changed")
    os.utime(tree / "kernel/same.c", ns=(0, 0))  # as an archive does: the time is no proof
    for second, name in enumerate(("obj/kernel/same.o", "rootfs.cpio", "nop5.elf", "obj/kernel/unfinished.o")):
        (tree / "build" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "build" / name).write_text("")
        os.utime(tree / "build" / name, (second, second))
    before = {name: (work / name).stat().st_mtime_ns for name in starter}
    (tree / "scripts/rootfs").write_text("changed")
    lab_grade.seed_build(work, starter, tree)
    assert not (work / "build").exists()
    (tree / "scripts/rootfs").write_text("scripts/rootfs")
    lab_grade.seed_build(work, starter, tree)
    assert [str(path.relative_to(work)) for path in (work / "build").rglob("*") if path.is_file()] == ["build/obj/kernel/same.o"]
    after = {name: (work / name).stat().st_mtime_ns for name in starter}
    assert after["kernel/same.c"] == (tree / "kernel/same.c").stat().st_ctime_ns > 0
    assert {name for name in starter if after[name] == before[name]} >= {"kernel/mine.c", "user/old.c"}


def test_carry_keeps_the_names_of_a_variant_and_works_in_the_source(tree):
    variant = next(word for word in map(str, range(100)) if LABS[2].names_of(word)["nop_all_sites"] != "nop_all_sites")
    name = LABS[2].names_of(variant)["nop_all_sites"]
    first = tree(2, "first", VARIANT=variant)
    records = first / "trace/ftrace/records.c"
    solved = records.read_text().replace(f"static void __init {name}(void)\n{{\n", f"static void __init {name}(void)\n{{\n\tint mine;\n")
    assert "int mine;" in solved
    records.write_text(solved)
    assert (tree(4, "second", CARRY=first) / "trace/ftrace/records.c").read_text() == solved
    inside = subprocess.run([first / "scripts/lab", "cut", "4", first.with_name("third")], text=True, stderr=subprocess.PIPE)
    assert inside.returncode == 2 and "this is the tree of one lab" in inside.stderr and not first.with_name("third").exists()
    other = subprocess.run([ROOT / "scripts/lab", "cut", "4", first.with_name("third"), "--carry", first, "--variant", "other"],
                           text=True, stderr=subprocess.PIPE)
    assert other.returncode == 2 and f"has VARIANT={variant}: the names in the new tree must be the same" in other.stderr


def test_a_variant_renames_what_students_write_everywhere(tree):
    lab = LABS[2]
    variant = next(word for word in map(str, range(100)) if all(old != new for old, new in lab.names_of(word).items()))
    made = tree(2, VARIANT=variant)
    for old, new in lab.names_of(variant).items():
        assert subprocess.run(["grep", "-rqw", old, "--exclude-dir=.git", "--exclude-dir=.lab", made]).returncode == 1
        assert f"{new}(" in (made / "trace/ftrace/records.c").read_text()


@pytest.mark.parametrize("lab, room, choices, fixed", [(18, "trace/bpf/verifier/", 6, 0), (20, "", 5, 2)], ids=["lab18", "lab20"])
def test_each_variant_lacks_one_of_the_choices_and_each_is_missing_somewhere(lab, room, choices, fixed):
    names = [name for name in lab_cut.tracked_files(ROOT) if name.startswith(room) and name.endswith(".c") and f"LAB {lab}" in (ROOT / name).read_text()]
    texts = {name: (ROOT / name).read_text() for name in names}
    missing = set()
    for variant in ("", *map(str, range(30))):
        number = lab_cut.chosen_part(lab, choices, variant)
        changed = [name for name in names if lab_cut.cut_text(texts[name], {lab}, name, variant) != lab_cut.cut_text(texts[name], set(), name)]
        assert len(changed) == fixed + 1
        assert sum(f"LAB {lab}, unmarked, {number} of {choices}" in texts[name] for name in changed) == 1
        missing.add(number)
    assert missing == set(range(1, choices + 1))


def test_reports_have_the_points_and_for_each_loss_a_sentence(tmp_path):
    lab = LABS[2]
    outcomes = [lab_grade.Outcome(test, test.points) for test in lab.tests]
    outcomes[1] = lab_grade.Outcome(lab.tests[1], 0, "a nop", "a\x00call & more")
    lab_report.write(lab, outcomes, tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["score"] == 100 - lab.tests[1].points == sum(test["score"] for test in results["tests"])
    assert results["tests"][1]["output"].startswith("Expected a nop, but saw a?call & more. Read on: docs/labs/")
    suite, = ElementTree.parse(tmp_path / "grade.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == (str(len(lab.tests)), "1")
    assert suite[1].find("failure").get("message").startswith("Expected a nop, but saw a?call & more.")


def test_each_outcome_is_printed_before_the_next_test_begins(capsys):
    def outcomes():
        for test in LABS[2].tests:
            yield lab_grade.Outcome(test, 0, "a nop", f"a call of {test.name}")
            assert f"({test.name})\n                 Expected a nop, but saw a call of {test.name}." in capsys.readouterr().out
    seen = []
    lab_report.print_table(LABS[2], outcomes(), seen)
    assert len(seen) == len(LABS[2].tests)
    assert capsys.readouterr().out == "  points   0/100\n"


def test_what_several_tests_are_lost_by_is_printed_once(capsys):
    tests = LABS[2].tests
    error = ("a kernel that builds without warnings", "kernel/main.c:7:1: error: expected ‘;’ before ‘}’")
    lab_report.print_table(LABS[2], [lab_grade.Outcome(test, 0, *error) for test in tests], [])
    printed = capsys.readouterr().out
    assert printed.count(error[1]) == 1
    for test in tests[1:]:
        assert f"({test.name})\n                 For the same reason as {tests[0].name}. Read on: {test.read}\n" in printed


# The first one is a build that has said how far it is, and hangs.
HUNG_BUILD = "printf '  CC      [%s/20] a.c\\n' 1 2 10 20; echo 'a.c: warning: b'; cat /dev/zero > /dev/null"


def test_a_build_has_a_limit_names_what_was_running_and_says_how_far_it_is(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(lab_build, "LIMIT", 2)
    output, status, late = lab_build.run(["sh", "-c", HUNG_BUILD + "; :"], tmp_path, dict(os.environ))
    assert (output.splitlines()[-1], status, late) == ("a.c: warning: b", -signal.SIGKILL, ["cat /dev/zero"])
    assert capsys.readouterr().out == "".join(f"  building {done} of 20\n" for done in (2, 10, 20))


def test_a_build_that_is_late_is_the_reason_for_each_loss(monkeypatch, tmp_path):
    (tmp_path / "Makefile").write_text("build/nop5.elf:\n\tcat /dev/zero > /dev/null; :\n")
    monkeypatch.setattr(lab_build, "LIMIT", 2)
    monkeypatch.setattr(lab_build.lab_cut, "settings_of", lambda work: [])
    assert lab_build.build(tmp_path) == "no end after 2 s: cat /dev/zero was still running"


GRADE_ONE_TEST = """
import importlib.machinery, pathlib, sys
root, work = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(root / "scripts"))
lab = importlib.machinery.SourceFileLoader("lab", str(root / "scripts/lab")).load_module()
lab2 = lab.lab_table.lab_of(2)
lab.lab_grade.grade = lambda *_, **__: [lab.lab_grade.run_test(work, lab2, lab2.tests[0], 1, "")]
lab.main(["grade", "2", "--results", str(work / "results")])
"""
ENDLESS = """
import os, time
with open("pid", "w") as file: print(os.getpid(), file=file)
time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_grading_that_is_ended_ends_its_test(tmp_path, number):
    pid = tmp_path / "pid"
    (tmp_path / "build").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/lab").write_text(ENDLESS)
    process = subprocess.Popen([sys.executable, "-c", GRADE_ONE_TEST, ROOT, tmp_path])
    eventually(lambda: pid.exists() and pid.read_text().endswith("\n"))
    process.send_signal(number)
    assert process.wait() == 128 + number
    eventually(lambda: not is_running(int(pid.read_text())))
    results = json.loads((tmp_path / "results/results.json").read_text())
    assert (results["score"], len(results["tests"])) == (0, len(LABS[2].tests))
    assert "but saw its end before this test: SystemExit" in results["tests"][-1]["output"]


def test_a_submission_may_lie_in_a_folder_of_its_archive(tmp_path):
    lab = LABS[2]
    for name in ("one/student/lab2/trace/ftrace/records.c", "two/lab2/records.c", "two/__MACOSX/x", "three/records.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("solved")
    for start, root in (("one", "one/student/lab2"), ("two", "two/lab2"), ("three", "three")):
        assert lab_grade.submission_root(tmp_path / start, lab) == tmp_path / root
        assert set(lab_grade.submitted_files(tmp_path / root, lab)) == {"trace/ftrace/records.c"}


def test_only_a_submission_with_all_rooms_can_remove_files(tmp_path):
    starter = {name: (b"", None) for name in ("scripts/lab", "scripts/boot", "kernel/main.c", "kernel/gone.c", "fs/file.c", "trace/trace.c")}
    (tmp_path / "submission/kernel").mkdir(parents=True)
    (tmp_path / "submission/kernel/main.c").write_text("changed")
    lab_grade.lay_out(tmp_path / "work", starter, [tmp_path / "submission"], LABS[2])
    assert (tmp_path / "work/kernel/gone.c").exists() and (tmp_path / "work/kernel/main.c").read_text() == "changed"
    for room in ("kernel", "fs", "trace"):  # the starter has no others
        (tmp_path / "submission" / room).mkdir(exist_ok=True)
    lab_grade.lay_out(tmp_path / "work", starter, [tmp_path / "submission"], LABS[2])
    assert not (tmp_path / "work/kernel/gone.c").exists() and (tmp_path / "work/kernel/main.c").exists()


def test_a_submission_may_have_files_where_the_starter_has_a_link_or_a_folder(tmp_path):
    starter = {name: (name.encode(), None) for name in ("scripts/lab", "scripts/boot", "trace/ftrace/records.c", "arch/x.h", "fs/file.c")}
    starter["arch/include"] = (".", None)
    for name in ("trace/ftrace/records.c", "arch/include"):
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text("solved")
    (tmp_path / "files").mkdir()
    for name in ("trace", "records.c"):
        (tmp_path / "files" / name).write_text("solved")
    for submission in ("tree", "files"):
        lab_grade.lay_out(tmp_path / "work" / submission, starter, [tmp_path / submission], LABS[2])
        work = tmp_path / "work" / submission
        assert (work / "arch/include/x.h").read_text() == "arch/x.h" and (work / "trace/ftrace/records.c").read_text() == "solved"


def test_a_submission_without_a_file_of_the_lab_gets_no_points_and_is_told_so(tmp_path):
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission/homework.docx").write_text("")
    outcomes = list(lab_grade.grade(LABS[2], tmp_path / "work", tree=ROOT, submissions=[tmp_path / "submission"]))
    assert len(outcomes) == len(LABS[2].tests) and not any(outcome.points for outcome in outcomes)
    assert outcomes[0].sentence.startswith(
        "Expected `trace/ftrace/records.c` or a whole tree in what is handed in, but saw `homework.docx`.")


def test_new_files_of_the_source_are_in_a_starter_but_not_those_beside_it(tmp_path):
    for name in ("kernel/old.c", "kernel/new.c", "grades/anna.csv", "notes"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    with pytest.raises(lab_table.TableError, match="must be a clone"):
        lab_cut.tracked_files(tmp_path)
    for arguments in (["init", "-q"], ["add", "kernel/old.c"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    assert lab_cut.tracked_files(tmp_path) == ["kernel/new.c", "kernel/old.c"]


def test_a_mistyped_lab_or_test_is_an_error(tmp_path):
    git_tree = tmp_path / "student"
    (git_tree / ".git").mkdir(parents=True)
    for arguments, complaint in ((("cut", "2", tmp_path / "new", "--hide", "3,33"), "labs/labs.toml has no lab 33"),
                                 (("autograder", "2", tmp_path / "new", "--hide", "three"), "three is no number of a lab"),
                                 (("cut", "4", tmp_path / "new", "--hide", "2,5"), "lab 4 needs the solution of lab 2"),
                                 (("grade", "2", "--only", "boots,nop"), "lab 2 has no test nop"),
                                 (("grade", "2", "--work", git_tree), "would be overwritten; --submission grades it"),
                                 (("grade",), "this is the whole source: say which lab")):
        result = subprocess.run([ROOT / "scripts/lab", *arguments], text=True, stderr=subprocess.PIPE)
        assert (result.returncode, complaint in result.stderr) == (2, True), result.stderr
    assert not (tmp_path / "new").exists()


def test_what_is_seen_is_never_empty():
    with pytest.raises(lab_test.Lost, match="^expected a line, but saw nothing$"):
        lab_test.expect(False, "a line", " \n")


def test_the_last_words_of_a_kernel_that_hangs_or_crashes_are_those_that_help():
    hang = "scripts/boot: time-out after 60 s while booting; the last lines:\n"
    for stderr, words in ((hang, "scripts/boot: time-out after 60 s while booting"),
                          (hang + "[0.1] a\n[0.2] b\n[0.3] c\n", hang.strip() + " / [0.2] b / [0.3] c"),
                          (hang.replace("booting", "running 'ls; x'"), "scripts/boot: time-out after 60 s"),
                          (hang + "[0.1] a\n[0.2] Oops: 0000 [#1]\n[0.3] c\n", "[0.2] Oops: 0000 [#1]"), ("", "nothing")):
        assert lab_test.last_words(subprocess.CompletedProcess([], 2, "", stderr)) == words


# What a student adds to see what happens, and to make time pass.
STUDENTS_TOOLS = """
int printk(const char *fmt, ...);
void report_bug(const char *file, int line, const char *what);
void report_warning(const char *file, int line, const char *what);
void dump_stack(void);
void msleep(unsigned ms);
void udelay(unsigned long us);
void (*volatile never)(const char *, int, const char *) = report_bug;
__attribute__((constructor)) static void look(void)
{
	printk("\\0016here: %d\\n", 1);
	report_warning("a.c", 7, "1 > 0");
	dump_stack();
	msleep(1);
	udelay(1);
}
"""


@pytest.mark.parametrize("program", sorted(path.name for path in (ROOT / "labs/tests").glob("*.c") if "sources:" in path.read_text()))
def test_a_program_that_runs_graded_code_on_the_host_has_what_kernel_code_may_call(tmp_path, program):
    (tmp_path / "tools.c").write_text(STUDENTS_TOOLS)
    empty = tmp_path / "include/generated/tracepoints.h"  # as in a lab without events
    empty.parent.mkdir(parents=True)
    empty.write_text(subprocess.check_output([ROOT / "scripts/tracepoint-macros", "--empty", *ROOT.glob("kernel/**/*_events.h")], text=True))
    tree = lab_test.TestedTree(ROOT, timeout=60, seed=1)
    tree.build = tmp_path
    made = tree.host_program(program, options=["-O0", "-g0", "-no-pie", "-DCONFIG_DEBUG", str(tmp_path / "tools.c")], sanitize=False)
    shown = subprocess.run([made, "no such mode"], text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60).stderr
    assert shown.startswith("here: 1\nWARNING: a.c:7: 1 > 0\n"), shown[:1000]


@pytest.mark.soak
def test_the_autograder_folder_grades_a_file_that_a_student_uploads(tmp_path):
    """As Gradescope does: the folder becomes /autograder/source, and the file lies alone in /autograder/submission."""
    lab = LABS[2]
    subprocess.run(["make", "-s", "autograder", "N=2", f"DIR={tmp_path / 'source'}"], cwd=ROOT, check=True)
    (tmp_path / "submission").mkdir()
    shutil.copy(ROOT / lab.files[0], tmp_path / "submission")
    subprocess.run([tmp_path / "source/setup.sh"], check=True)
    result = subprocess.run([tmp_path / "source/run_autograder"], env=dict(os.environ, AUTOGRADER=str(tmp_path)))
    assert result.returncode == 0
    results = json.loads((tmp_path / "results/results.json").read_text())
    assert results["score"] == 100, results
    assert [test["max_score"] for test in results["tests"]] == [test.points for test in lab.tests]


@pytest.mark.soak
def test_make_grade_builds_with_the_recordmcount_that_a_student_has_carried_along(tree):
    first = tree(1, "first")
    shutil.copy(ROOT / "scripts/recordmcount.c", first / "scripts/recordmcount.c")
    second = tree(2, "second", CARRY=first)
    shutil.copy(ROOT / "trace/ftrace/records.c", second / "trace/ftrace/records.c")
    graded = subprocess.run(["make", "-s", "grade"], cwd=second, text=True, stdout=subprocess.PIPE)
    visible = sum(test.points for test in LABS[2].tests if not test.hidden)
    assert re.search(rf"points +{visible}/{visible}", graded.stdout), graded.stdout
    (second / "scripts/recordmcount.c").write_text("int main(void) { return 0; }\n")
    graded = subprocess.run(["make", "-s", "grade"], cwd=second, text=True, stdout=subprocess.PIPE)
    assert re.search(r"LOST +0/25  each site holds the five-byte nop", graded.stdout), graded.stdout


@pytest.mark.soak
def test_make_grade_restores_what_a_student_may_not_change_and_reports_a_kernel_that_does_not_build(tree):
    made = tree(2)
    shutil.copy(ROOT / "trace/ftrace/records.c", made / "trace/ftrace/records.c")
    (made / "labs/tests/lab02.py").write_text("def test_boots(lab): pass\ntest_nops = test_traced = test_refuses = test_boots\n")
    subprocess.run(["make", "-s"], cwd=made, check=True)
    text = (made / "kernel/main.c").read_text()
    (made / "kernel/main.c").write_text(text + "\n#error this does not build\n")
    os.utime(made / "kernel/main.c", (0, 0))
    graded = subprocess.run(["make", "-s", "grade"], cwd=made, text=True, stdout=subprocess.PIPE)
    visible = sum(test.points for test in LABS[2].tests if not test.hidden)
    assert visible < 100 and graded.returncode == 0 and f"points   0/{visible}" in graded.stdout, graded.stdout
    assert "Expected a kernel that builds without warnings, but saw kernel/main.c" in graded.stdout
    (made / "kernel/main.c").write_text(text)
    graded = subprocess.run(["make", "-s", "grade"], cwd=made, text=True, stdout=subprocess.PIPE)
    assert re.search(rf"points +{visible}/{visible}", graded.stdout), graded.stdout
