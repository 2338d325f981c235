// The page of a trace: its views, the search, and the chosen item, which all views share.
"use strict";

class Page {
	constructor(data) {
		this.trace = loadTrace(data);
		this.book = data.book;
		this.selected = -1;
		const box = name => document.getElementById(name);
		this.panel = new Panel(this.trace, box("panel"), this);
		this.views = {
			tree: new Tree(this.trace, box("tree"), this), lanes: new Lanes(this.trace, box("lanes"), this),
			flame: new Flame(this.trace, box("flame"), this), functions: new Functions(this.trace, box("functions"), this),
		};
		for (const tab of document.querySelectorAll("[role=tab]"))
			tab.onclick = () => this.open(tab.dataset.view);
		this.search = box("search");
		this.search.oninput = () => this.find();
		this.search.onkeydown = event => event.key === "Enter" && this.next(event.shiftKey ? -1 : 1);
		box("previous").onclick = () => this.next(-1);
		box("next").onclick = () => this.next(1);
		this.fillTools(box);
		box("facts").textContent = this.facts();
		this.ask(data.exercise, box("questions"));
	}

	fillTools(box) {
		const lanes = this.views.lanes, choice = box("task");
		box("unfold").onclick = () => this.views.tree.foldAll(true);
		box("fold").onclick = () => this.views.tree.foldAll(false);
		box("in").onclick = () => lanes.zoom(0.5, 0.5);
		box("out").onclick = () => lanes.zoom(2, 0.5);
		box("whole").onclick = () => lanes.look(0, this.trace.last);
		choice.append(new Option("all tasks", -1), ...this.trace.tasks.map((task, i) => new Option(task.name, i)));
		choice.onchange = () => this.views.flame.choose(Number(choice.value));
	}

	// The questions of an exercise are beside the trace if there is room, and else a view of their own.
	ask(exercise, box) {
		if (exercise) {
			new Questions(exercise, box, this.book);
			box.hidden = document.querySelector("[data-view=questions]").hidden = false;
		}
		this.open(exercise && !matchMedia("(min-width: 1101px)").matches ? "questions" : "tree");
	}

	facts() {
		const t = this.trace, known = t.lost.reduce((sum, { count }) => sum + Math.max(count, 0), 0);
		const unknown = t.lost.some(({ count }) => count < 0);
		const number = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
		return `${t.count} calls and events of ${number(t.tasks.length, "task")} on ${number(t.cpus.length, "CPU")} in ${showTime(t.last)}` +
			(t.lost.length ? `; ${unknown ? "at least " : ""}${known} events lost` : "");
	}

	open(name) {
		for (const tab of document.querySelectorAll("[role=tab]"))
			tab.setAttribute("aria-selected", tab.dataset.view === name);
		for (const element of document.querySelectorAll("[data-for]"))
			element.hidden = element.dataset.for !== name;
		for (const view of Object.keys(this.views))
			document.getElementById(view).hidden = view !== name;
		this.view = document.body.dataset.open = name;
	}

	// An item was chosen in the view `from`.
	select(id) {
		this.selected = id;
		this.panel.show(id);
		this.views.lanes.view.draw();
		this.views.flame.view.draw();
	}

	// Opens a view, or stays in the present one with null, and shows the item there.
	go(name, id) {
		this.open(name ?? (this.views[this.view]?.show ? this.view : "tree"));
		this.select(id);
		this.views[this.view].show(id);
	}

	find() {
		this.found = searchTrace(this.trace, this.search.value);
		this.foundAt = -1;
		document.getElementById("found").textContent = this.search.value.trim() ? `${this.found.length} found` : "";
		this.views.functions.filter(this.search.value.trim().toLowerCase());
		if (this.view !== "functions")
			this.next(1);
	}

	next(step) {
		if (!this.found?.length)
			return;
		const n = this.found.length;
		this.foundAt = (this.foundAt + step + n) % n;
		document.getElementById("found").textContent = `${this.foundAt + 1} of ${n}`;
		this.go(this.view === "lanes" ? "lanes" : "tree", this.found[this.foundAt]);
	}

	address(place) {
		const [path, line] = place.split(":");
		return `${this.book}src/${path}.html#L${line}`;
	}

	// A link to a line of a source file in the book; null if the line is not known.
	source(place) {
		return place ? this.anchor(place, place) : null;
	}

	anchor(place, text) {
		const link = make("a", "", text);
		link.href = this.address(place);
		link.target = "nop5-source";
		link.title = place;
		return link;
	}

	// The name of an item's function: a link to the line of the call if the trace knows it, else to the function.
	link(id, text) {
		const place = this.trace.places[this.trace.caller[id]] || this.trace.where[this.trace.symbol[id]];
		return place ? this.anchor(place, text) : make("span", "", text);
	}
}

// The table of functions. A click on a heading sorts by it.
class Functions {
	constructor(trace, box, page) {
		this.trace = trace;
		this.page = page;
		this.columns = [
			["function", f => trace.symbols[f.symbol], String], ["calls", f => f.count, String], ["total", f => f.total, showTime],
			["in itself", f => f.self, showTime], ["slowest", f => trace.duration[f.slowest], showTime],
		];
		this.column = 4;
		const head = make("div", "head");
		this.columns.forEach(([name], i) => head.append(button(name, () => this.sort(i))));
		const rows = make("div", "list");
		rows.tabIndex = 0;
		box.append(head, rows);
		this.head = head;
		this.list = new VirtualList(rows, (index, row) => this.draw(index, row));
		rows.onclick = event => {
			const row = event.target.closest(".row");
			if (row)
				this.choose(row.index);
		};
		rows.onkeydown = event => this.key(event);
		this.at = -1;
		this.filter("");
	}

	filter(text) {
		this.shown = [...this.trace.functions.values()].filter(f => this.trace.symbols[f.symbol].toLowerCase().includes(text));
		this.sort(this.column);
	}

	sort(column) {
		const value = this.columns[column][1];
		this.column = column;
		this.at = -1;
		this.shown.sort((a, b) => column ? value(b) - value(a) : value(a) < value(b) ? -1 : 1);
		[...this.head.children].forEach((cell, i) => cell.setAttribute("aria-pressed", i === column));
		this.list.setCount(this.shown.length);
	}

	choose(index) {
		this.at = index;
		this.list.show(index);
		this.page.select(this.shown[index].slowest);
	}

	key(event) {
		const at = stepOf(event, this.at, this.shown.length, this.list);
		if (at === null)
			return;
		event.preventDefault();
		this.choose(at);
	}

	draw(index, row) {
		row.classList.toggle("selected", index === this.at);
		const f = this.shown[index];
		row.replaceChildren(...this.columns.map(([, value, text], i) => make("span", i ? "number" : "name", text(value(f)))));
	}
}

if (typeof document !== "undefined")
	globalThis.page = new Page(JSON.parse(document.getElementById("data").textContent));
