// The transcripts of the manual (transcripts.json, which web/transcripts.py makes of the blocks that the tests type), with a button at
// each command.

function element(name, properties = {}, ...children) {
	const made = Object.assign(document.createElement(name), properties);
	made.append(...children);
	return made;
}

export class Transcripts {
	constructor(chapters, places, type) {
		this.chapters = chapters;
		this.places = places;	// {chapter, read, blocks}: elements
		this.type = type;	// type([[directory, command], …])
		let group;
		for (const { file, title, part } of chapters) {
			if (group?.label !== part)
				places.chapter.append(group = element("optgroup", { label: part }));
			group.append(element("option", { value: file, textContent: title }));
		}
		places.chapter.addEventListener("change", () => this.show(places.chapter.value));
	}

	show(file) {
		const chapter = this.chapters.find(each => each.file === file) ?? this.chapters[0];
		this.places.chapter.value = chapter.file;
		this.places.read.href = `../book/${chapter.book}`;
		this.places.blocks.replaceChildren(...chapter.blocks.map(block => this.block(block)));
	}

	block({ heading, steps }) {
		const all = element("button", { type: "button", textContent: "Type all" });
		all.addEventListener("click", () => this.type(steps));
		return element("section", {}, element("h3", { textContent: heading }), all, ...steps.map(step => this.step(step)));
	}

	step([directory, command, output]) {
		const button = element("button", { type: "button", className: "type", title: "type it", ariaLabel: `type ${command}` }, "▶");
		button.addEventListener("click", () => this.type([[directory, command]]));
		const line = element("div", { className: "step" }, button, element("code", {}, element("span", { className: "prompt" }, `nop5:${directory}# `), command));
		return output.length ? element("div", {}, line, element("pre", { tabIndex: 0, textContent: output.join("\n") })) : line;
	}
}
