"""The autograder folder for Gradescope: setup.sh, run_autograder, and the starter with its hidden tests.

Zip the content of the folder and upload it (https://gradescope-autograders.readthedocs.io/en/latest/specs/).
"""
import tempfile
from pathlib import Path

import lab_cut
import lab_table


def make(number, directory, *, variant="", hide=(), root=lab_table.ROOT):
    lab, blank = lab_table.lab_of(number, root), {number, *hide}
    if directory.exists() and any(directory.iterdir()):
        raise lab_table.TableError(f"{directory} is not empty")
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        names = lab_cut.write_tree(tree, lab_cut.starter_files(lab, blank=blank, variant=variant, hidden=True, root=root))
        for name, text in lab_cut.lab_files(lab, blank, variant).items():
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text(text)
            names.add(name)
        lab_cut.write_starter_archive(tree, names)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "starter.tar.gz").write_bytes((tree / lab_cut.STARTER).read_bytes())
    for name in ("setup.sh", "run_autograder"):
        (directory / name).write_text((root / "labs/autograder" / name).read_text())
        (directory / name).chmod(0o755)
    print(f"{directory}: zip what is in it, and upload it as the autograder of lab {number}, {lab.title}")
