"""What the programs of tests/abi have printed, and the root file system with them."""
import hashlib
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def outputs(text):
    """Returns {name: what the program printed, and its status} from the output of tests/abi/run."""
    text = text.replace("\r\n", "\n")
    return {match[1]: match[2] for match in re.finditer(r"^## (\S+)\n((?:(?!## ).*\n)*## exit \d+\n)", text, re.M)}


def archive(directory, chosen):
    """Makes the root file system with these programs, pairs of "musl" or "glibc" and a name, of directory. Returns its path.
    Each set has a file of its own: a machine of another test may boot again from its file."""
    image = directory / f"abi-{hashlib.sha1(repr(chosen).encode()).hexdigest()[:12]}.cpio"
    programs = [directory / libc / name for libc, name in chosen]
    subprocess.run([ROOT / "scripts/rootfs", image, f"{HERE / 'run'}:abi/run",
                    *(f"{path}:abi/{path.parent.name}/{path.name}" for path in programs)], check=True)
    return image
