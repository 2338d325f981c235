// A list with any number of rows, of which only those in sight are elements.
"use strict";

const ROW = 22;
const TALLEST = 8000000; // pixels; browsers limit the height of an element

class VirtualList {
	// draw(index, element) fills the element of a row.
	constructor(box, draw) {
		this.box = box;
		this.draw = draw;
		this.count = 0;
		this.space = document.createElement("div");
		this.space.className = "space";
		this.rows = document.createElement("div");
		this.rows.className = "rows";
		box.append(this.space, this.rows);
		this.height = 0;
		box.addEventListener("scroll", () => this.ask());
		new ResizeObserver(() => {
			this.height = box.clientHeight;
			this.refresh();
		}).observe(box);
	}

	// Draws the rows before the next frame.
	ask() {
		if (!this.asked)
			requestAnimationFrame(() => {
				this.asked = false;
				this.refresh();
			});
		this.asked = true;
	}

	setCount(count) {
		this.count = count;
		this.space.style.height = Math.min(count * ROW, TALLEST) + "px";
		this.refresh();
	}

	// How many pixels of rows one pixel of the scroll bar is.
	scale() {
		const most = Math.min(this.count * ROW, TALLEST) - this.height, all = this.count * ROW - this.height;
		return most > 0 ? all / most : 1;
	}

	refresh() {
		const top = this.box.scrollTop * this.scale(), first = Math.max(0, Math.floor(top / ROW));
		const n = Math.min(this.count - first, Math.ceil(this.height / ROW) + 1);
		while (this.rows.children.length > Math.max(n, 0))
			this.rows.lastChild.remove();
		while (this.rows.children.length < n) {
			const row = document.createElement("div");
			row.className = "row";
			this.rows.append(row);
		}
		this.rows.style.transform = `translateY(${this.box.scrollTop - (top - first * ROW)}px)`;
		for (let i = 0; i < n; i++) {
			this.rows.children[i].index = first + i;
			this.draw(first + i, this.rows.children[i]);
		}
	}

	// Scrolls as little as needed to show the row; far rows come to the middle.
	show(index) {
		const scale = this.scale(), top = this.box.scrollTop * scale, at = index * ROW, height = this.height;
		if (at < top || at + ROW > top + height) {
			const near = Math.abs(at - top) < height + ROW;
			this.box.scrollTop = (near ? (at < top ? at : at + ROW - height) : at - height / 2) / scale;
		}
		this.refresh();
	}
}

// The row to which a key leads in a list, or null if the key is none of those that move.
function stepOf(event, at, count, list) {
	const page = Math.floor(list.height / ROW) - 1;
	const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[event.key];
	return step && count ? Math.min(Math.max(at + step, 0), count - 1) : null;
}

// make("span", "class", "text", ...children)
function make(tag, className, ...children) {
	const element = document.createElement(tag);
	if (className)
		element.className = className;
	element.append(...children);
	return element;
}

function button(text, action) {
	const element = make("button", "", text);
	element.type = "button";
	element.onclick = action;
	return element;
}
