// The graph as a tree that folds: tasks, their calls, and the events inside.
"use strict";

class Tree {
	constructor(trace, box, page) {
		this.trace = trace;
		this.page = page;
		this.box = box;
		this.opened = trace.tasks.map(() => false);
		this.list = new VirtualList(box, (index, row) => this.draw(index, row));
		box.onclick = event => this.click(event);
		box.onkeydown = event => this.key(event);
		const busiest = trace.tasks.reduce((best, task, i) => task.count > trace.tasks[best].count ? i : best, 0);
		if (trace.tasks.length)
			this.opened[busiest] = true;
		for (let id = 0; id < trace.count; id++)
			trace.open[id] = trace.depth[id] < 2;
		box.classList.toggle("flat", !trace.kind.includes(CALL));	// no durations
		this.at = 0;
		this.build();
	}

	// Fills `shown` with the rows that are not inside a folded one: an item's number, or -1 - a task's number.
	build() {
		const { tasks, open, size } = this.trace;
		const shown = this.shown ??= new Int32Array(this.trace.count + tasks.length);
		let n = 0;
		tasks.forEach((task, number) => {
			shown[n++] = -1 - number;
			for (let id = task.first; this.opened[number] && id < task.first + task.count; id += open[id] ? 1 : size[id] + 1)
				shown[n++] = id;
		});
		this.list.setCount(n);
	}

	fold(row, open) {
		if (row < 0)
			this.opened[-1 - row] = open;
		else
			this.trace.open[row] = open;
		this.build();
	}

	foldAll(open) {
		this.trace.open.fill(open);
		if (open)
			this.opened.fill(true);
		this.build();
		this.list.show(this.at);
	}

	isOpen(row) {
		return row < 0 ? this.opened[-1 - row] : this.trace.open[row];
	}

	draw(index, element) {
		const row = this.shown[index], t = this.trace, inside = row < 0 ? t.tasks[-1 - row].count : t.size[row];
		element.classList.toggle("selected", index === this.at);
		if (index === this.at)
			element.id = "chosen-row";
		else
			element.removeAttribute("id");
		element.setAttribute("role", "treeitem");
		element.setAttribute("aria-level", row < 0 ? 1 : t.depth[row] + 2);
		if (inside)
			element.setAttribute("aria-expanded", Boolean(this.isOpen(row)));
		else
			element.removeAttribute("aria-expanded");
		const fold = make("span", "fold", inside ? this.isOpen(row) ? "▾" : "▸" : "");
		if (row < 0) {
			const task = t.tasks[-1 - row];
			element.replaceChildren(fold, make("b", "", task.name), make("span", "text", ` ${task.count} calls and events`));
			return;
		}
		fold.style.marginLeft = Math.min(t.depth[row], 40) + "em";
		const time = make("span", "time", (t.start[row] / 1000).toFixed(3));
		const cpu = make("span", "cpu", t.cpu[row]);
		element.replaceChildren(time, cpu, this.drawDuration(row), fold, ...this.drawName(row));
	}

	drawDuration(id) {
		const t = this.trace, cell = make("span", "duration");
		if (t.kind[id] !== CALL)
			return cell;
		const outer = t.parent[id], all = outer < 0 ? t.duration[t.functions.get(t.symbol[id]).slowest] : t.duration[outer];
		cell.style.setProperty("--part", Math.min(100, 100 * t.duration[id] / (all || 1)) + "%");
		cell.append(t.whole[id] ? showTime(t.duration[id]) : "no return");
		return cell;
	}

	drawName(id) {
		const t = this.trace, text = t.text.get(id);
		if (t.kind[id] === EVENT)
			return [make("span", "event", "◆ " + (text.startsWith(nameOf(t, id)) ? text : nameOf(t, id) + ": " + text)),
				make("span", "text", t.stacks.has(id) ? " (with its stack)" : "")];
		const parts = [this.page.link(id, nameOf(t, id) + "()")];
		if (text)
			parts.push(make("span", "value", " = " + text));
		if (t.kind[id] === FUNCTION)
			parts.push(make("span", "text", " <- " + t.symbols[t.stacks.get(id).at(-2)]));
		return parts;
	}

	click(event) {
		const element = event.target.closest(".row");
		if (!element)
			return;
		this.at = element.index;
		const row = this.shown[this.at];
		if (event.target.className === "fold" || row < 0)
			this.fold(row, !this.isOpen(row));
		this.list.refresh();
		if (row >= 0)
			this.page.select(row, this);
	}

	key(event) {
		const row = this.shown[this.at], at = stepOf(event, this.at, this.list.count, this.list);
		if (at !== null) {
			this.at = at;
		} else if (event.key === "ArrowRight") {
			this.fold(row, true);
		} else if (event.key === "ArrowLeft") {
			const outer = row < 0 ? row : this.trace.parent[row] >= 0 ? this.trace.parent[row] : -1 - this.trace.task[row];
			if (this.isOpen(row) && (row < 0 || this.trace.size[row]))
				this.fold(row, false);
			else
				this.at = this.shown.subarray(0, this.list.count).indexOf(outer);
		} else if (event.key === "Enter" && row >= 0) {
			this.list.rows.querySelector(".selected a")?.click();
		} else {
			return;
		}
		event.preventDefault();
		this.list.show(this.at);
		if (this.shown[this.at] >= 0)
			this.page.select(this.shown[this.at], this);
	}

	// Unfolds what is around the item, and scrolls to it.
	show(id) {
		this.opened[this.trace.task[id]] = true;
		for (let outer = this.trace.parent[id]; outer >= 0; outer = this.trace.parent[outer])
			this.trace.open[outer] = 1;
		this.build();
		this.at = this.shown.subarray(0, this.list.count).indexOf(id);
		this.list.show(this.at);
	}
}
