// What is known about the chosen call: its numbers, its callers, its sources, and the durations of its function.
"use strict";

class Panel {
	constructor(trace, box, page) {
		this.trace = trace;
		this.box = box;
		this.page = page;
	}

	show(id) {
		const t = this.trace;
		this.box.replaceChildren(make("h2", "", nameOf(t, id) + (isFunction(t, id) ? "()" : "")), this.facts(id), this.buttons(id), this.callers(id), ...this.stack(id));
		const f = isFunction(t, id) && t.functions.get(t.symbol[id]);
		if (f)
			this.showFunction(f, id);
	}

	facts(id) {
		const t = this.trace, list = make("dl", "");
		const fact = (name, ...value) => list.append(make("dt", "", name), make("dd", "", ...value));
		if (t.kind[id] === CALL) {
			fact("duration", t.whole[id] ? showTime(t.duration[id]) : "the trace has no return");
			fact("in itself", showTime(Math.max(t.self[id], 0)));
		}
		fact("at", showTime(t.start[id]));
		fact("task", `${t.tasks[t.task[id]].name} on CPU ${t.cpu[id]}`);
		if (t.text.has(id))
			fact(t.kind[id] === CALL ? "returns" : "event", t.text.get(id));
		if (isFunction(t, id)) {
			const where = this.page.source(t.where[t.symbol[id]]), caller = this.page.source(t.places[t.caller[id]]);
			if (where)
				fact("defined in", where);
			if (caller)
				fact("called at", caller);
		}
		return list;
	}

	buttons(id) {
		return make("p", "", button("in the tree", () => this.page.go("tree", id)), " ", button("in the lanes", () => this.page.go("lanes", id)));
	}

	callers(id) {
		const line = make("p", "callers"), ids = [];
		for (let outer = this.trace.parent[id]; outer >= 0; outer = this.trace.parent[outer])
			ids.unshift(outer);
		if (ids.length)
			line.append("inside ");
		ids.forEach((outer, i) => line.append(i ? " › " : "", button(nameOf(this.trace, outer), () => this.page.go(null, outer))));
		return line;
	}

	// The stack of an event, or of a call that the function tracer has recorded, the outermost function first.
	stack(id) {
		const t = this.trace, symbols = t.stacks.get(id);
		if (!symbols || symbols.length < 3 && isFunction(t, id))
			return [];
		const row = symbol => make("li", "", t.where[symbol] ? this.page.anchor(t.where[symbol], t.symbols[symbol]) : t.symbols[symbol]);
		return [make("h3", "", "Stack"), make("ol", "stack", ...symbols.map(row))];
	}

	showFunction(f, chosen) {
		const t = this.trace, sorted = f.sorted ??= f.ids.filter(id => t.kind[id] === CALL).sort((a, b) => t.duration[b] - t.duration[a]);
		this.box.append(make("h3", "", `${f.count} calls`));
		if (!sorted.length)
			return;
		this.box.append(make("p", "", `${showTime(f.total)} together, median ${showTime(t.duration[sorted[sorted.length >> 1]])}`));
		this.box.append(make("h3", "", "Durations"), this.histogram(f, chosen));
		this.list = make("div", "calls");
		this.box.append(this.list);
		this.listCalls("Slowest calls", sorted);
	}

	histogram(f, chosen) {
		const bars = f.bars ??= histogram(this.trace, f.sorted), most = Math.max(...bars.map(bar => bar.ids.length));
		const box = make("div", "histogram");
		for (const bar of bars) {
			const text = `${showTime(bar.from)} to ${showTime(bar.to)}: ${bar.ids.length} calls`;
			const element = button("", () => this.listCalls(text, bar.ids));
			element.title = text;
			element.disabled = !bar.ids.length;
			element.setAttribute("aria-label", text);
			element.classList.toggle("chosen", bar.ids.includes(chosen));
			element.style.setProperty("--height", bar.ids.length ? 4 + 96 * bar.ids.length / most + "%" : "0");
			box.append(element);
		}
		const ends = make("div", "ends", make("span", "", showTime(bars[0].from)), make("span", "", showTime(bars.at(-1).to)));
		return make("div", "", box, ends);
	}

	listCalls(title, ids) {
		const t = this.trace;
		this.list.replaceChildren(make("h3", "", title), ...ids.slice(0, 20).map(id =>
			make("p", "", button(showTime(t.duration[id]), () => this.page.go("tree", id)), ` at ${showTime(t.start[id])}, ${t.tasks[t.task[id]].name}`)));
	}
}
