"""Cut a lab: copy the source tree, and leave out the parts that the students write.

A part stands between two comments. In the finished source they are read as what they are:

    /* LAB 2: Compare each site with the call that must be there. Starts as: return 0; */
    ...the solution...
    /* END LAB 2 */

In the starter, the hint stays, `Starts as:` and what follows replaces the solution, and the second comment stays. `LAB 2, unmarked:`
is for what students must find: then both comments go, too. `LAB 2, unmarked, 3 of 6:` is left out of every sixth variant (chosen_part()); the others have it. The first comment may have several lines. Assembly has `;` instead. The comments of labs that are not cut are removed. labs/README.md tells how to place them.
"""
import io
import json
import os
import random
import re
import shutil
import subprocess
import tarfile
import textwrap
from pathlib import Path

import lab_table
from lab_tree import LabTree

BEGIN = re.compile(r"^[ \t]*(?P<open>/\*|;)[ \t]*(?:\n[ \t]*\*[ \t]*)?LAB (?P<lab>\d+)(?P<unmarked>, unmarked)?(?:, (?P<choice>\d+) of (?P<choices>\d+))?: ?", re.M)
END = re.compile(r"^[ \t]*(?:/\*|;)[ \t]*END LAB (?P<lab>\d+)[ \t]*(?:\*/)?[ \t]*\n", re.M)
STARTS_AS = re.compile(r"[\s*;]*\bStarts as:[ \t]*")

# Not for students: wrong solutions, hidden tests, answers, the tests of the project, and how the project is built elsewhere.
KEPT_BACK = re.compile(r"labs/(mutants|autograder|slides|diagnose)/|scripts/diagnose|labs/(README|tree)\.md|labs/tests/\w*_hidden\.py|tests/(?!elf\.py$|host/stubs/|(?:host|fuzz)/bpf_|host/host_kmalloc\.h$)|docs/answers/"
                       r"|docs/(?:teaching|diagnose)\.md|\.ci/|\.github/")
LAB_DIR = ".lab"
STARTER = f"{LAB_DIR}/starter.tar.gz"


class MarkerError(lab_table.TableError):
    """The markers of a file do not fit together."""


class Part:
    """One part of a lab in a text: [start, end) with its markers."""

    def __init__(self, text, begin, name):
        self.lab = int(begin["lab"])
        self.unmarked = bool(begin["unmarked"])
        self.choice = (int(begin["choice"]), int(begin["choices"])) if begin["choice"] else None
        self.start = begin.start()
        self.comment_end = comment_end(text, begin)
        comment = text[begin.start():self.comment_end]
        end = END.search(text, self.comment_end)
        following = BEGIN.search(text, self.comment_end)
        line = text.count("\n", 0, self.start) + 1
        if not end or int(end["lab"]) != self.lab or (following and following.start() < end.start()):
            raise MarkerError(f"{name}:{line}: LAB {self.lab} has no END LAB {self.lab}")
        self.solution_end, self.end = end.start(), end.end()
        self.end_marker = text[self.solution_end:self.end]
        self.indent = re.match(r"[ \t]*", comment)[0]
        self.opener = begin["open"]
        self.hint, self.starts_as = self.split(comment)

    def split(self, comment):
        """(the comment without the replacement, the replacement)."""
        match = STARTS_AS.search(comment)
        if not match:
            return comment, ""
        hint, code = comment[:match.start()], comment[match.end():]
        if self.opener == "/*":
            code = re.sub(r"\s*\*/\s*$", "", code)
            closing = "\n" + self.indent + " */\n" if "\n" in hint else " */\n"
            prefix = r"\*"
        else:
            code = code.rstrip("\n")
            closing = "\n"
            prefix = self.opener
        first, *rest = code.split("\n")
        rest = [re.sub(rf"^[ \t]*{prefix} ?", "", line) for line in rest]
        if not first.strip():  # the code begins below `Starts as:`, all of it perhaps one level deeper
            first, *rest = textwrap.dedent("\n".join(rest)).split("\n")
        return hint + closing, "".join(self.place(line) for line in [first, *rest])

    def place(self, line):
        """A line of the replacement, indented as the part. In assembly all lines but labels have one tab."""
        text = line.strip()
        if not text:
            return "\n"
        if self.opener == ";":
            return f"{'' if text.endswith(':') else chr(9)}{text}\n"
        return f"{self.indent}{line.rstrip()}\n"


def comment_end(text, begin):
    """The end of the comment with its newline."""
    if begin["open"] == "/*":
        return text.index("\n", text.index("*/", begin.start())) + 1
    end = begin.start()
    while re.match(rf"[ \t]*{begin['open']}", text[end:end + 200]) and (
            end == begin.start() or not END.match(text, end)):
        end = text.index("\n", end) + 1
    return end


def parts_of(text, name="the text"):
    """All parts of a text, in their order."""
    parts, at = [], 0
    while begin := BEGIN.search(text, at):
        parts.append(Part(text, begin, name))
        at = parts[-1].end
    ends = len(END.findall(text))
    if ends != len(parts):
        raise MarkerError(f"{name}: {ends} lines END LAB for {len(parts)} parts")
    return parts


def chosen_part(lab, choices, variant):
    """Which of so many parts, from 1 on, the starter of a variant lacks."""
    return random.Random(f"{lab} {variant}").randint(1, choices) if variant else 1


def cut_text(text, blank, name="the text", variant=""):
    """The text without the solutions of the labs in blank, and without the markers of the others."""
    out, at = [], 0
    for part in parts_of(text, name):
        out.append(text[at:part.start])
        if part.lab in blank and (not part.choice or part.choice[0] == chosen_part(part.lab, part.choice[1], variant)):
            out += [part.starts_as] if part.unmarked else [part.hint, part.starts_as, part.end_marker]
        else:
            out.append(text[part.comment_end:part.solution_end])
        at = part.end
    return "".join(out) + text[at:]


def has_markers(path):
    return path.suffix in (".c", ".h", ".asm", ".ld")


def tracked_files(root):
    """
    The files of the source tree. Files in its folders that are not committed yet are included; those beside its folders
    are not, because a teacher may keep grades there.
    """
    tracked = git_files(root, "--cached")
    folders = {name.split("/")[0] for name in tracked if "/" in name}
    new = {name for name in git_files(root, "--others", "--exclude-standard") if "/" in name and name.split("/")[0] in folders}
    return sorted(name for name in tracked | new if os.path.isfile(path := os.path.join(root, name)) or os.path.islink(path))


def git_files(root, *options):
    listing = subprocess.run(["git", "ls-files", "-z", *options], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if listing.returncode:
        raise lab_table.TableError(f"{root} must be a clone, because git tells which files it has: {listing.stderr.strip()}")
    return set(listing.stdout.split("\0")) - {""}


def stray_markers(labs, root=lab_table.ROOT):
    """Sentences about markers that the table does not know, and about files of the table without markers."""
    wrong, cut_files = [], {number: set() for number in labs}
    for name in tracked_files(root):
        path = root / name
        if has_markers(path) and b"LAB " in path.read_bytes():
            for part in parts_of(path.read_text(), name):
                cut_files.setdefault(part.lab, set()).update(() if part.unmarked else [name])
    for number, names in cut_files.items():
        listed = set(labs[number].files) if number in labs else set()
        wrong += [f"{name}: LAB {number}, but labs/labs.toml does not name this file there" for name in sorted(names - listed)]
        if number in labs and not names:
            wrong.append(f"labs/labs.toml: no source has a marker of lab {number}")
    return wrong


def as_in_starter(name, text, blank, hidden=False, variant=""):
    """The text of a file as it is in a starter without the solutions of the labs in blank; hidden: with the hidden tests."""
    if name == "labs/labs.toml" and not hidden:
        return visible_table(text)
    return cut_text(text, blank, name, variant) if has_markers(Path(name)) and "LAB " in text else text


def rename_words(text, names):
    if not names:
        return text
    return re.sub(rf"\b(?:{'|'.join(map(re.escape, names))})\b", lambda match: names[match[0]], text)


def tree_of(lab, hidden=False, root=lab_table.ROOT):
    """What of the source the tree of a lab has. hidden: with the hidden tests."""
    names = [name for name in tracked_files(root) if not KEPT_BACK.match(name) or (hidden and name.startswith("labs/tests/"))]
    return LabTree(lab, names, root)


def starter_files(lab, *, blank=None, variant="", hidden=False, root=lab_table.ROOT):
    """
    Yield (name, content, Path of the source if the content is unchanged else None) of all files of a starter. The
    content is bytes, or a str: the target of a symbolic link.
    """
    blank = {lab.number} if blank is None else blank
    # Names of all labs in blank, so that what was done in the tree of an earlier lab has the same names here.
    names = {old: new for number, other in lab_table.load(root).items() if number in blank
             for old, new in other.names_of(variant).items()}
    tree = tree_of(lab, hidden, root)
    for name in sorted(tree.names):
        path = root / name
        if path.is_symlink():
            yield name, os.readlink(path), None
            continue
        content = path.read_bytes()
        try:
            text = content.decode()
        except UnicodeDecodeError:
            yield name, content, path
            continue
        new = rename_words(tree.text(name, as_in_starter(name, text, blank, hidden, variant)), names)
        yield name, new.encode(), path if new == text else None


def visible_table(text):
    """labs.toml without the hidden tests."""
    return "".join(line for line in text.splitlines(True) if not re.search(r"\bhidden = true\b", line))


def lab_files(lab, blank, variant, carried=()):
    """The files in .lab/: what this tree is, and the settings of its builds. carried: settings of earlier labs."""
    settings = "".join("{} ?= {}\n".format(*setting.split("=", 1)) for setting in dict.fromkeys([*carried, *lab.make]))
    about = {"number": lab.number, "blank": sorted(blank), "variant": variant}
    return {f"{LAB_DIR}/lab.json": json.dumps(about) + "\n", f"{LAB_DIR}/lab.mk": settings}


def settings_of(directory):
    """The settings of the builds of a lab's tree, as ["MCOUNT=script"]."""
    return ["=".join(setting) for setting in re.findall(r"^(\w+) \?= (.*)$", (directory / LAB_DIR / "lab.mk").read_text(), re.M)]


def write_tree(directory, files):
    """Write files, and return their names. What is the same already keeps its time; all others are new."""
    written = set()
    for name, content, source in files:
        target = directory / name
        written.add(name)
        if isinstance(content, str):
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_symlink():
                target.symlink_to(content)
            continue
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if source:
            shutil.copymode(source, target)
        elif content.startswith(b"#!"):
            target.chmod(0o755)
    return written


def write_starter_archive(directory, names):
    """Keep the starter as it was cut, for `make grade` and for CARRY."""
    with tarfile.open(directory / STARTER, "w:gz", compresslevel=6) as archive:
        for name in sorted(names):
            archive.add(directory / name, name, recursive=False)


def starter_archive_files(archive):
    """{name: content} of a starter, from its archive (a path or bytes)."""
    source = {"fileobj": io.BytesIO(archive)} if isinstance(archive, bytes) else {"name": archive}
    with tarfile.open(mode="r:gz", **source) as tar:
        return {member.name: member.linkname if member.issym() else tar.extractfile(member).read()
                for member in tar if member.isfile() or member.issym()}


def cut(number, directory, *, carry=None, variant="", hide=(), root=lab_table.ROOT):
    """Make the tree of a lab in a new directory. Returns the files that `carry` could not merge."""
    lab = lab_table.lab_of(number, root)
    directory = Path(directory)
    if directory.exists() and any(directory.iterdir()):
        raise lab_table.TableError(f"{directory} is not empty")
    blank, carried = {number, *hide}, []
    if carry:
        about = about_tree(carry)
        blank |= set(about["blank"])
        carried = settings_of(Path(carry))
        variant = variant or about["variant"]
        if variant != about["variant"]:
            raise lab_table.TableError(f"{carry} has {'VARIANT=' + about['variant'] if about['variant'] else 'no VARIANT'}: "
                                       "the names in the new tree must be the same")
    names = write_tree(directory, starter_files(lab, blank=blank, variant=variant, root=root))
    for name, text in {**lab_files(lab, blank, variant, carried), **workflow(lab, root)}.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
        names.add(name)
    write_starter_archive(directory, names)
    conflicts = carry_over(Path(carry), directory, lab_table.load(root)) if carry else []
    commit(directory, f"Lab {number}: the starter")
    return conflicts


def about_tree(directory):
    """The content of .lab/lab.json."""
    try:
        return json.loads((Path(directory) / LAB_DIR / "lab.json").read_text())
    except OSError:
        raise lab_table.TableError(f"{directory} is no tree that `make lab` has made") from None


def workflow(lab, root):
    """The workflow for GitHub Classroom: `make grade`, and one step for each test."""
    text = (root / "labs/autograder/classroom.yml").read_text()
    step, = re.findall(r"(?ms)^# for each test:\n(.*?)^# end\n", text)
    visible = [test for test in lab.tests if not test.hidden]
    steps = "".join(step.format(name=test.name, points=test.points) for test in visible)
    results = "".join(f'          {test.name.upper()}_RESULTS: "${{{{steps.{test.name}.outputs.result}}}}"\n' for test in visible)
    text = re.sub(r"(?ms)^# for each test:\n.*?^# end\n", lambda _: steps, text)
    text = text.replace("          # the results\n", results)
    return {".github/workflows/classroom.yml": text.replace("TESTS", ",".join(test.name for test in visible))}


def carry_over(work, directory, labs):
    """Merge what a student has changed in an earlier lab's tree into a new starter. Returns the files with conflicts."""
    base = starter_archive_files(work / STARTER)
    done = [labs[number] for number in about_tree(work)["blank"] if number in labs]
    theirs = {str(path.relative_to(work)) for room in [*lab_table.ROOMS, *(f for lab in done for f in lab.files)]
              for path in [work / room, *(work / room).rglob("*")] if path.is_file()}
    conflicts = []
    for name in sorted(theirs | {n for n in base if any(lab.may_change(n) for lab in done)}):
        mine = (work / name).read_bytes() if name in theirs else None
        if mine == base.get(name):
            continue
        target = directory / name
        if mine is None:
            target.unlink(missing_ok=True)
        elif name in base and not target.exists():
            continue  # of a feature that the new tree does not have
        elif name not in base or target.read_bytes() == base[name]:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(mine)
        elif not merge(target, base[name], mine):
            conflicts.append(name)
    return conflicts


def merge(target, base, mine):
    """Three-way merge into target: what the student has changed since base. Returns whether it went without a conflict."""
    base_file, mine_file = target.with_name(target.name + ".base"), target.with_name(target.name + ".mine")
    base_file.write_bytes(base)
    mine_file.write_bytes(mine)
    result = subprocess.run(["git", "merge-file", "-L", "the new lab", "-L", "the old lab", "-L", "your work", target, base_file,
                             mine_file], stderr=subprocess.DEVNULL)
    base_file.unlink()
    mine_file.unlink()
    return result.returncode == 0


def commit(directory, subject):
    """Begin a repository, so that students see with `git diff` what they have changed."""
    who = ["-c", "user.name=nop5", "-c", "user.email=nop5@localhost", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", subject]):
        subprocess.run(["git", *who, *arguments], cwd=directory, check=True)
