// The search field of the book. search-index.js has BOOK: [[address, chapter, heading, text]] for each section.

// The sections that contain all words, best first: words in a heading count more than words in the text, and most if they are not
// a part of another word.
function search(sections, query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const found = [];
	for (const [address, chapter, heading, text] of words.length ? sections : []) {
		const title = (chapter + " " + heading).toLowerCase(), body = text.toLowerCase();
		let score = 0;
		for (const word of words) {
			const inTitle = title.split(/[^\w]+/).includes(word) ? 150 : title.includes(word) ? 100 : 0;
			const here = inTitle + Math.min(body.split(word).length - 1, 20);
			if (!here) {
				score = 0;
				break;
			}
			score += here;
		}
		if (score)
			found.push({ address, chapter, heading, score, excerpt: excerpt(text, words) });
	}
	return found.sort((a, b) => b.score - a.score);
}

// The text around the first word that it contains.
function excerpt(text, words) {
	const places = words.map(word => text.toLowerCase().indexOf(word)).filter(at => at >= 0);
	const start = Math.max(0, Math.min(...places, text.length) - 60);
	return (start ? "…" : "") + text.slice(start, start + 200) + "…";
}

function show(results, base) {
	return results.slice(0, 30).map(({ address, chapter, heading, excerpt }) => {
		const line = document.createElement("p"), link = document.createElement("a");
		link.href = base + address;
		link.textContent = heading === chapter ? chapter : chapter + ": " + heading;
		line.append(link, document.createElement("br"), excerpt);
		return line;
	});
}

if (typeof document !== "undefined") {
	const field = document.getElementById("search");
	field.addEventListener("input", () => {
		const results = search(BOOK, field.value);
		const box = document.getElementById("results");
		box.replaceChildren(...show(results, field.dataset.base));
		if (field.value.trim() && !results.length)
			box.textContent = "No section contains these words.";
	});
}
