"""Runtime verification: the files of rv/, what they refuse, the events, reactors; and scripts/rvgen, which makes automata of graphs."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from clones import machine_at_prompt  # noqa: E402
from nop5 import ROOT  # noqa: E402

MONITORS = ROOT / "trace/rv/monitors"
SCHED = ["nrp", "sco", "scpd", "snep", "snroc", "tss"]
# Of Linux's kernel/trace/rv/rv_trace.h: the fields and the text of each class.
EVENT = ["__data_loc char[] state", "__data_loc char[] event", "__data_loc char[] next_state", "bool final_state"]
ERROR = ["__data_loc char[] state", "__data_loc char[] event"]
FORMATS = {
    "event_wip": (EVENT, '"%s x %s -> %s%s", __get_str(state), __get_str(event), __get_str(next_state), REC->final_state ? " (final)" : ""'),
    "error_wip": (ERROR, '"event %s not expected in the state %s", __get_str(event), __get_str(state)'),
    "event_wwnr": (["int id", *EVENT], '"%d: %s x %s -> %s%s", REC->id, __get_str(state), __get_str(event), __get_str(next_state), REC->final_state ? " (final)" : ""'),
    "error_wwnr": (["int id", *ERROR], '"%d: event %s not expected in the state %s", REC->id, __get_str(event), __get_str(state)'),
}
# What is written, where, and what write(2) says.
REFUSED = """
enabled_monitors none         Invalid argument
enabled_monitors wip,wwnr     Invalid argument
enabled_monitors a_name_that_is_longer_than_32_bytes Invalid argument
monitors/wip/enable 2         Invalid argument
monitors/wip/enable x         Invalid argument
monitors/wip/reactors none    Invalid argument
monitoring_on x               Invalid argument
reacting_on 2                 Invalid argument
""".strip().splitlines()


@pytest.fixture(scope="module")
def rv(images):
    machine = machine_at_prompt(build=images, cpus=4)
    machine.check("cd /sys/kernel/tracing/rv")
    yield machine
    machine.close()


def test_files_are_those_of_linux(rv):
    assert rv.check("ls").split() == ["available_monitors", "available_reactors", "enabled_monitors", "monitoring_on", "monitors", "reacting_on"]
    assert rv.check("cat available_reactors").split() == ["nop", "panic", "printk"]
    assert rv.check("cat available_monitors").split() == ["rql", "sched", *(f"sched:{name}" for name in SCHED), "wip", "wwnr"]
    assert rv.check("ls monitors/wip").split() == ["desc", "enable", "reactors"]
    assert rv.check("stat -c '%a %n' * monitors/wip/*").splitlines() == [
        "440 available_monitors", "440 available_reactors", "640 enabled_monitors", "640 monitoring_on", "750 monitors", "640 reacting_on",
        "440 monitors/wip/desc", "640 monitors/wip/enable", "640 monitors/wip/reactors"]
    assert rv.check("cat monitoring_on reacting_on monitors/wip/enable monitors/wip/reactors").split() == ["1", "1", "0", "[nop]", "panic", "printk"]


def test_formats_are_those_of_linux(rv):
    for event, (fields, text) in FORMATS.items():
        form = rv.check(f"cat ../events/rv/{event}/format")
        assert re.findall(r"^\tfield:(?!\w+ \w+ common|\w+ common|unsigned)(.*?);", form, re.M) == fields
        assert form.splitlines()[-1] == f"print fmt: {text}"


def test_refused_writes_change_nothing(rv):
    before = rv.check("cat enabled_monitors monitoring_on reacting_on monitors/wip/*")
    for line in REFUSED:
        file, text, error = re.fullmatch(r"(\S+) (\S+) +(.*)", line).groups()
        assert error in rv.run(f"echo {text} >> {file}").output, line
    assert rv.check("cat enabled_monitors monitoring_on reacting_on monitors/wip/*") == before


def test_monitors_are_switched_one_by_one_and_with_their_container(rv):
    enabled = "cat enabled_monitors"
    assert rv.check(f"echo wip > enabled_monitors; echo wwnr >> enabled_monitors; {enabled}").split() == ["wip", "wwnr"]
    assert rv.check(f"echo '!wip' >> enabled_monitors; {enabled}").split() == ["wwnr"]
    assert rv.check(f"echo sched:tss > enabled_monitors; echo sco >> enabled_monitors; {enabled}").split() == ["sched:sco", "sched:tss"]
    assert rv.check(f"echo 1 > monitors/sched/enable; {enabled}").split() == ["sched", *(f"sched:{name}" for name in SCHED)]
    assert rv.check(f"echo 0 > monitors/sched/tss/enable; {enabled}").split() == ["sched", *(f"sched:{name}" for name in SCHED if name != "tss")]
    rv.check("echo printk > monitors/sched/reactors")
    assert rv.check("grep -h '\\[' monitors/sched/*/reactors").split() == ["[printk]"] * len(SCHED)
    assert rv.check(f"echo nop > monitors/sched/reactors; echo '!sched' >> enabled_monitors; {enabled}") == ""


def test_events_and_the_switches_of_all_monitors(rv):
    rv.check("echo 1 > ../events/rv/event_wip/enable; echo 1 > ../events/rv/event_wwnr/enable; echo 1 > monitors/wip/enable; echo wwnr >> enabled_monitors; usleep 1000")
    rv.check("echo 0 > monitoring_on; echo > ../trace; usleep 1000")
    assert "_w" not in rv.check("cat ../trace")
    rv.check("echo 1 > monitoring_on; for i in 1 2 3; do usleep 1000; done; echo > enabled_monitors; echo 0 > ../events/rv/enable")
    trace = rv.check("cat ../trace; echo > ../trace")
    wip = set(re.findall(r": event_wip: (.*)$", trace, re.M))
    assert wip == {"preemptive x preempt_disable -> non_preemptive", "non_preemptive x preempt_enable -> preemptive (final)",
                   "non_preemptive x sched_waking -> non_preemptive"}
    assert re.search(r": event_wwnr: \d+: not_running x switch_in -> running$", trace, re.M)
    assert re.search(r": event_wwnr: \d+: running x switch_out -> not_running \(final\)$", trace, re.M)


def test_reactors(rv):
    """The last one of this machine: it ends with a panic."""
    until = "until grep -q error_wwnr: ../trace; do usleep 1; done"
    rv.check(f"echo 1 > ../events/rv/error_wwnr/enable; echo printk > monitors/wwnr/reactors; echo 0 > reacting_on; echo wwnr > enabled_monitors; {until}")
    rv.check("echo '!wwnr' >> enabled_monitors")
    assert "rv: " not in rv.check("dmesg; echo > ../trace; echo 1 > reacting_on")
    rv.check(f"echo wwnr >> enabled_monitors; {until}; echo '!wwnr' >> enabled_monitors")
    assert "rv: monitor wwnr does not allow event wakeup on state running\n" in rv.check("dmesg; echo > ../trace")
    rv.check("echo panic > monitors/wwnr/reactors")
    rv.send("echo wwnr >> enabled_monitors; while :; do usleep 1; done\n")
    rv.expect("Kernel panic - not syncing: rv: monitor wwnr does not allow event wakeup on state running")


# ---- scripts/rvgen ----

def rvgen(tmp_path, text, *options):
    model = tmp_path / "m.dot"
    model.write_text(text)
    result = subprocess.run([ROOT / "scripts/rvgen", *options, model], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.stdout, result.stderr.replace(str(model), "m.dot")


def transitions(table):
    """{(state, event): next} of a table in C, in the names of the graph."""
    found, state = {}, None
    for line in table[table.index(".function"):table.index(".final_states")].splitlines():
        if row := re.fullmatch(r"\t\t\[(\w+)_m\] = \{", line):
            state = row[1]
        elif entry := re.fullmatch(r"\t\t\t\[(\w+)_m\] = (\w+)_m,", line):
            found[state, entry[1]] = entry[2]
    return found


@pytest.mark.parametrize("model", sorted(MONITORS.glob("*.dot")), ids=lambda model: model.stem)
def test_the_table_of_a_monitor_is_that_of_its_graph(model):
    table = subprocess.run([ROOT / "scripts/rvgen", model], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert table in model.with_suffix(".c").read_text(), f"put what `scripts/rvgen {model.relative_to(ROOT)}` prints into {model.stem}.c"


def test_graphs_in_all_forms(tmp_path):
    table, _ = rvgen(tmp_path, """
        digraph state_automaton { // as Linux's dot2c has it
            center = true; size = "7,11";
            {node [shape = plaintext, style=invis, label=""] "__init_one"};
            {node [shape = ellipse] "two"};
            node [shape = circle] "one";
            "__init_one" -> "one";
            "one" [label = "one", color = green3];
            one -> "two" -> three [ label = "go\\nrun" ] /* a chain, two events */
            "three" -> "one" [ label = "back", weight = 2 ]; # and the way back
            { rank = min; "__init_one"; "one"; }
        }""")
    assert transitions(table) == {("one", "go"): "two", ("one", "run"): "two", ("two", "go"): "three", ("two", "run"): "three", ("three", "back"): "one"}
    assert re.findall(r"\t(\w+)_m( = RV_INITIAL_STATE)?,\n", table[:table.index("static")]) == [
        ("one", " = RV_INITIAL_STATE"), ("three", ""), ("two", ""), ("back", ""), ("go", ""), ("run", "")]
    assert re.search(r"\.final_states = \{\n\t\t\[two_m\] = true,\n\t\},", table)


@pytest.mark.parametrize("text, why", [
    ('digraph g { a -> b [label = "e"] }', '0 edges begin at a node "__init_STATE": there must be one'),
    ('digraph g { __init_a -> a; a -> b [label = "e"] a -> a [label = "e"] }', "e in the state a leads to b, and to a: the automaton is not deterministic"),
    ("digraph g { __init_a -> a; a -> b }", "the edge from a to b has no event"),
    ('digraph g { __init_a -> a; a -> "b c" [label = "e"] }', "'b c' is no name for a state: it must be a name in C"),
    ('digraph g { __init_a -> a; a -> b [label = "e"]', "the graph has no end"),
    ("graph g { }", "a graph begins with `digraph`"),
    ("digraph g { a -> b [label = ?] }", "line 1: '?' is no word of a graph"),
    ("digraph g { __init_s -> s0; " + " ".join(f's{n} -> s{n + 1} [label = "e"]' for n in range(16)) + "}", "17 states: at most 15 are possible"),
])
def test_what_is_no_automaton_is_refused(tmp_path, text, why):
    assert rvgen(tmp_path, text) == ("", f"rvgen: m.dot: {why}\n")


def test_a_whole_file_has_a_handler_for_each_event(tmp_path):
    text, _ = rvgen(tmp_path, 'digraph g { __init_a -> a; a -> b [label = "x"] b -> a [label = "y"] }', "--monitor", "per_task")
    assert re.findall(r"^static void handle_(\w+)\(void \*data __unused, \.\.\.\)$", text, re.M) == ["x", "y"]
    assert "\tda_task_event(&rv_m, tsk, x_m);\n" in text and text.endswith('RV_MONITOR_PER_TASK(m, "what it is about");\n')
