"""The slides of the course: they are whole, and their commands do what a lecture shows."""
import re
import subprocess

import pytest

from nop5 import ROOT

DECKS = sorted((ROOT / "labs/slides").glob("*.md"))


def commands(deck):
    """The lines of a deck that a teacher types. A block has them behind `# `."""
    return [line.removeprefix("# ") for block in re.findall(r"^```text\n(.*?)^```", deck.read_text(), re.M | re.S)
            for line in block.splitlines() if line.startswith("# ")]


def test_there_are_slides_for_each_of_twelve_weeks(tmp_path):
    subprocess.run([ROOT / "scripts/book/slides", tmp_path], check=True)
    assert [path.stem[:2] for path in DECKS] == [f"{week:02}" for week in range(1, 13)]
    for deck in DECKS:
        page, text = (tmp_path / f"{deck.stem}.html").read_text(), deck.read_text()
        assert page.count("<section") == 1 + len(re.findall(r"^# [A-Z]", re.sub(r"```.*?```", "", text, flags=re.S), re.M)), deck.name
        assert page.count("data:image/svg") == text.count("![]("), deck.name
        assert not re.search(r'(?:src|href)="https?:', page), deck.name


@pytest.mark.parametrize("deck", [deck for deck in DECKS if commands(deck)], ids=lambda deck: deck.stem)
def test_the_commands_of_a_slide_can_be_typed(boot, deck):
    machine = boot(cpus=2)  # of its own: a lecture leaves its tracers and events on
    for command in commands(deck):
        machine.check(command)
    machine.poweroff()
