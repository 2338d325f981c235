// The questions of an exercise (web/traces.py), beside its trace. The reader writes an answer, and the page says whether it is right; the
// answer and its reason are behind a click.
"use strict";

const CLOSE = 0.02;	// a time is right if it differs by so much of itself

// Microseconds of "12.5", "12.5 us" or "0.0125 ms"; NaN if it is no time.
function microseconds(text) {
	const match = text.match(/^([\d.]+)\s*(us|µs|ms|s)?$/);
	return match ? Number(match[1]) * { us: 1, "µs": 1, ms: 1e3, s: 1e6 }[match[2] ?? "us"] : NaN;
}

// True if what the reader wrote is the answer. Names may have brackets behind them, and numbers may be written in any base.
function isRight(text, { value, unit }) {
	const written = text.trim().toLowerCase().replace(/\(\)$/, ""), wanted = value.toLowerCase();
	if (unit)
		return Math.abs(microseconds(written) - Number(wanted)) <= Math.max(CLOSE * Number(wanted), 0.001);
	return written === wanted || written !== "" && Number(written) === Number(wanted);
}

class Questions {
	constructor(exercise, box, book) {
		const link = (text, address) => Object.assign(make("a", "", text), { href: address });
		box.append(make("h2", "", exercise.title), make("p", "", exercise.about), ...exercise.questions.map(question => this.form(question)));
		box.append(make("details", "", make("summary", "", "How it was recorded"), make("pre", "", exercise.commands.join("\n"))));
		const next = exercise.next ? [link("the next trace", exercise.next), " · "] : [];
		box.append(make("p", "", ...next, link("all traces", `${book}twelve-traces.html`)));
	}

	form(question) {
		const form = make("form", ""), label = make("label", "", question.ask), field = make("input", ""), said = make("output", "");
		const check = button("check", null);
		check.type = "submit";
		field.autocomplete = "off";
		field.autocapitalize = "off";
		field.spellcheck = false;
		label.append(field);
		form.onsubmit = event => {
			event.preventDefault();
			const right = isRight(field.value, question);
			said.textContent = right ? "right" : "not yet";
			said.className = right ? "right" : "wrong";
		};
		form.append(label, make("div", "", check, " ", said),
			make("details", "", make("summary", "", "show the answer"), make("p", "", question.why)));
		return form;
	}
}

if (typeof module !== "undefined")
	module.exports = { isRight };
