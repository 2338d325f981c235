"""The points of a lab as a table for people, as JUnit's XML, and as Gradescope's results.json."""
import json
import xml.etree.ElementTree as ElementTree


def total(outcomes):
    """The points, and the most that there are. A guess may cost points (diagnose_grade.py), but nobody gets less than none."""
    return max(0, sum(outcome.points for outcome in outcomes)), sum(outcome.test.points for outcome in outcomes)


def print_table(lab, outcomes, seen):
    """
    Print each outcome as it comes, because a kernel that hangs takes its time, and add it to seen. What several tests are
    lost by, as an error of the compiler, is printed once.
    """
    print(f"Lab {lab.number}: {lab.title}", flush=True)
    told = {}
    for outcome in outcomes:
        test = outcome.test
        print(f"  {'passed' if outcome.passed else 'LOST  '} {outcome.points:3}/{test.points:<3} {test.title}  ({test.name})", flush=True)
        if not outcome.passed:
            first = told.setdefault((outcome.expected, outcome.seen), test)
            sentence = outcome.sentence if first is test else f"For the same reason as {first.name}. Read on: {test.read}"
            print(f"                 {printable(sentence)}", flush=True)
        seen.append(outcome)
    points, most = total(seen)
    print(f"  points {points:3}/{most}")


def junit(lab, outcomes):
    """grade.xml: one test case for each test."""
    lost = [outcome for outcome in outcomes if not outcome.passed]
    suite = ElementTree.Element("testsuite", name=f"lab {lab.number}", tests=str(len(outcomes)), failures=str(len(lost)),
                                errors="0", skipped="0")
    for outcome in outcomes:
        case = ElementTree.SubElement(suite, "testcase", classname=f"lab{lab.number:02}", name=outcome.test.name)
        properties = ElementTree.SubElement(case, "properties")
        for name, value in (("points", outcome.points), ("max_points", outcome.test.points)):
            ElementTree.SubElement(properties, "property", name=name, value=str(value))
        if not outcome.passed:
            ElementTree.SubElement(case, "failure", message=printable(outcome.sentence))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def printable(text):
    """The text without control characters: XML and Gradescope's database refuse them, and a terminal obeys them."""
    return "".join(c if c in "\t\n" or c >= " " else "?" for c in text)


def gradescope(lab, outcomes):
    """results.json (https://gradescope-autograders.readthedocs.io/en/latest/specs/)."""
    return {
        "score": total(outcomes)[0],
        "output": f"Lab {lab.number}: {lab.title}",
        "tests": [{
            "name": outcome.test.title,
            "number": f"{lab.number}.{number}",
            "tags": [outcome.test.name],
            "score": outcome.points,
            "max_score": outcome.test.points,
            "status": "passed" if outcome.passed else "failed",
            "output": "" if outcome.passed else printable(outcome.sentence),
            "visibility": "after_published" if outcome.test.hidden else "visible",
        } for number, outcome in enumerate(outcomes, 1)],
    }


def write(lab, outcomes, directory):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "grade.xml").write_text(junit(lab, outcomes) + "\n")
    (directory / "results.json").write_text(json.dumps(gradescope(lab, outcomes), indent=1) + "\n")
