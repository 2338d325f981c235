// The page shares memory with its worker. A browser allows that to pages that come with two headers, which many servers
// (GitHub Pages for one) do not send. Then this file, as a service worker, adds them, and the page is loaded once more.
"use strict";

if (typeof document === "undefined") {
	addEventListener("install", () => skipWaiting());
	addEventListener("activate", event => event.waitUntil(clients.claim()));
	addEventListener("fetch", event => {
		if (event.request.cache === "only-if-cached" && event.request.mode !== "same-origin")
			return;
		event.respondWith(fetch(event.request).then(answer => {
			if (answer.status === 0)	// from another origin, and not to be looked into
				return answer;
			const headers = new Headers(answer.headers);
			headers.set("Cross-Origin-Opener-Policy", "same-origin");
			headers.set("Cross-Origin-Embedder-Policy", "require-corp");
			return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
		}));
	});
} else if (!crossOriginIsolated && navigator.serviceWorker) {
	navigator.serviceWorker.register("isolate.js").then(registration => {
		const reload = () => location.reload();
		if (registration.active && !navigator.serviceWorker.controller)
			reload();
		navigator.serviceWorker.addEventListener("controllerchange", reload);
	});
}
