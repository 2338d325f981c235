"""Grade a lab: build a student's solution between pristine files, and run each test of the table on it.

The solution is built in a tree of its own. It has the starter's tests, scripts and build files, and of the student's tree
only what a student may change (lab_table.Lab.may_change). Each test is a process of its own with a limit: a hang costs one test.
"""
import dataclasses
import fcntl
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import lab_build
import lab_cut
import lab_table
import lab_test
from session import session
from stopwatch import Stopwatch

# The limit of a test for all its boots and programs together, in multiples of its `timeout`, which is for one answer.
WHOLE_TEST = 5

# What a build may take over from another one, in build/. Not the root file system: a student may have added programs.
SEEDS = ("obj", "include", "scripts", "flags", "sources", "user", "modules", "modroot", "modroot.stamp", "Module.symvers", "symvers.ld",
         "vdso.so")


@dataclasses.dataclass
class Outcome:
    """What a student got for one test."""
    test: lab_table.Test
    points: int
    expected: str = ""
    seen: str = ""

    @property
    def passed(self):
        return self.points == self.test.points

    @property
    def sentence(self):
        return f"Expected {self.expected}, but saw {self.seen}. Read on: {self.test.read}"


def submitted_files(directory, lab):
    """{name: Path} of what counts of a submission: a whole tree, or only the files of the lab, in one folder."""
    found = {}
    for part in [*lab_table.ROOMS, *lab.files]:
        start = directory / part
        if start.is_file() and part in lab_table.ROOMS:
            continue  # a file that a student has called trace
        for path in [start, *start.rglob("*")] if start.exists() else []:
            if path.is_file() and not path.is_symlink():
                found[str(path.relative_to(directory))] = path
    for name in lab.files:
        alone = directory / Path(name).name
        if name not in found and alone.is_file():
            found[name] = alone
    return found


def submission_root(directory, lab):
    """The folder with the submission: archives often have all files in one folder, on whichever level the student has packed it."""
    while not submitted_files(directory, lab):
        inside = [path for path in directory.iterdir() if path.name != "__MACOSX" and not path.name.startswith(".")]
        if len(inside) != 1 or not inside[0].is_dir() or inside[0].is_symlink():
            break
        directory = inside[0]
    return directory


def source_of_starter(tree, lab, pristine):
    """{name: (content, Path or None)} of the starter: from the archive of the tree, or cut from the source itself."""
    archive = pristine or (tree / lab_cut.STARTER if (tree / lab_cut.STARTER).exists() else None)
    if archive:
        return {name: (content, None) for name, content in lab_cut.starter_archive_files(archive).items()}
    files = {name: (content, source) for name, content, source in lab_cut.starter_files(lab, hidden=True, root=tree)}
    for name, text in lab_cut.lab_files(lab, {lab.number}, "").items():
        files[name] = (text.encode(), None)
    return files


def with_all_parts(lab, starter):
    """The lab as this starter has it: students may also change the files of earlier labs that they carry along."""
    content, _ = starter[f"{lab_cut.LAB_DIR}/lab.json"]
    others = [other for number, other in lab_table.load().items() if number in json.loads(content)["blank"]]
    return dataclasses.replace(lab, files=list(dict.fromkeys([*lab.files, *(name for other in others for name in other.files)])))


def left_out(tree, starter):
    """The files of the source that this lab's tree does not have. They do not count if somebody hands in the whole source."""
    return set() if (tree / lab_cut.STARTER).exists() else set(lab_cut.tracked_files(tree)) - set(starter)


def lay_out(work, starter, submissions, lab, ignored=()):
    """Make the tree that is built: the starter's files, and over them those that each of the submissions may bring."""
    files = dict(starter)
    if submissions and is_whole_tree(submissions[0], starter):  # a file that the student has removed is removed
        files = {name: value for name, value in files.items() if not lab.may_change(name) or isinstance(value[0], str)}
    for directory in submissions:
        for name, path in submitted_files(directory, lab).items():
            if name not in ignored and not isinstance(starter.get(name, (b"",))[0], str):  # some archives make files of symbolic links
                files[name] = (path.read_bytes(), path)
    old = work / ".files"
    before = set(json.loads(old.read_text())) if old.exists() else set()
    names = lab_cut.write_tree(work, ((name, content, source) for name, (content, source) in files.items()))
    for name in before - names:
        (work / name).unlink(missing_ok=True)
    old.write_text(json.dumps(sorted(names)))
    for name in ("scripts/lab", "scripts/boot"):
        (work / name).chmod(0o755)


def is_whole_tree(directory, starter):
    return all((directory / room).is_dir() for room in {name.split("/")[0] for name in starter} & set(lab_table.ROOMS))


def seed_build(work, starter, tree):
    """
    Begin the first build of work with what `make` has built in tree. make compiles what is newer than its object, so a file
    gets the time of its last change in tree (ctime, which nobody sets) if neither the student nor this grading has changed
    it. All others are new.
    """
    built = tree / "build"
    if (work / "build/obj").exists() or not (built / "nop5.elf").exists() or not same_builder(starter, tree):
        return
    for name, (content, _) in starter.items():
        old = tree / name
        if isinstance(content, bytes) and old.is_file() and content == old.read_bytes() == (work / name).read_bytes():
            os.utime(work / name, ns=(old.stat().st_ctime_ns,) * 2)
    # What is newer than the last result may not be complete.
    end = max(path.stat().st_mtime_ns for name in ("nop5.elf", "nop5-test.elf", "rootfs.cpio") if (path := built / name).exists())
    for path in (path for part in SEEDS for path in [built / part, *(built / part).rglob("*")]):
        if path.is_file() and path.stat().st_mtime_ns <= end:
            target = work / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def same_builder(starter, tree):
    """Tells if tree has the starter's Makefile and scripts: make knows the time of no change to these."""
    builders = [name for name in starter if name == "Makefile" or name.startswith("scripts/") and Path(name).suffix not in (".py", ".c", ".h")]
    return all((tree / name).is_file() and (tree / name).read_bytes() == starter[name][0] for name in builders)


def run_test(work, lab, test, seed, build_error):
    """Run one test in a process of its own, and return its Outcome."""
    report = work / "build/outcome.json"
    report.unlink(missing_ok=True)
    job = {"number": lab.number, "name": test.name, "seed": seed, "build_error": build_error, "report": str(report)}
    command = [sys.executable, work / "scripts/lab", "run-test", json.dumps(job)]
    with session(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        stopwatch = Stopwatch(process.pid)
        while True:
            try:
                _, errors = process.communicate(timeout=2)
                break
            except subprocess.TimeoutExpired:
                if stopwatch.seconds() > WHOLE_TEST * test.timeout:
                    return Outcome(test, 0, f"an end within {WHOLE_TEST * test.timeout} s", "none")
    if not report.exists():
        return Outcome(test, 0, "a test that ends with a result", lab_test.shorten(errors[-300:]) or f"status {process.returncode}")
    result = json.loads(report.read_text())
    return Outcome(test, 0 if result else test.points, *result)


def run_test_here(job):
    """The process of run_test(): writes [] or [expected, seen] to the report."""
    work = lab_table.ROOT
    lab = lab_table.lab_of(job["number"], work)
    test = lab.test(job["name"])
    path = work / lab_table.test_file(lab, test.hidden)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tree = lab_test.TestedTree(work, timeout=test.timeout, seed=f"{job['seed']} {test.name}", build_error=job["build_error"])
    try:
        getattr(module, f"test_{test.name}")(tree)
        result = []
    except lab_test.Lost as lost:
        result = [lost.expected, lost.seen]
    Path(job["report"]).write_text(json.dumps(result))


NO_KERNEL = "none, because it was not built"


def grade(lab, work, *, tree, submissions=(), pristine=None, only=None, build_from=None, variant="", kernel=True):
    """
    Grade, and yield the Outcomes. tree: a starter's tree, or the source. submissions: directories; none: the bare starter.
    Without kernel only the tests that run on the host can be passed: all others have seen NO_KERNEL.
    """
    work.mkdir(parents=True, exist_ok=True)
    with open(work.with_name(work.name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another grading in the same tree waits
        yield from grade_locked(lab, work, tree, submissions, pristine, only, build_from, variant, kernel)


def grade_locked(lab, work, tree, submissions, pristine, only, build_from, variant, kernel):
    submissions = [submission_root(Path(directory), lab) for directory in submissions]
    starter = source_of_starter(tree, lab, pristine)
    lab = with_all_parts(lab, starter)
    lay_out(work, starter, submissions, lab, ignored=set() if pristine else left_out(tree, starter))
    graded = lab_table.lab_of(lab.number, work)  # without the hidden tests, in a student's tree
    tests = [test for test in graded.tests if not only or test.name in only]
    for directory in submissions:
        if not submitted_files(directory, lab):
            names = lab_test.quoted(sorted(path.name for path in directory.iterdir())[:5]) or "nothing"
            yield from (Outcome(test, 0, f"{lab_test.quoted(lab.files)} or a whole tree in what is handed in", names) for test in tests)
            return
    if build_from and kernel:
        seed_build(work, starter, build_from)
    error = lab_build.build(work) if kernel else lab_build.build(work, lab_build.FOR_THE_HOST) or NO_KERNEL
    shutil.rmtree(work / "build" / lab_test.HOST_PROGRAMS, ignore_errors=True)
    seed = variant or random.SystemRandom().getrandbits(32)
    for test in tests:
        yield run_test(work, lab, test, seed, error)
