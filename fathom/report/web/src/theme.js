// Light and dark: the system's choice until the reader makes one.
const listeners = [];
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
export const onTheme = (listener) => listeners.push(listener);
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const seriesColour = (index) => colour(`series-${index % 7}`);

function show(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const button = document.getElementById("theme");
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  for (const listener of listeners) listener();
}

// Pages opened from a disk may have no storage.
const stored = (action) => { try { return action(); } catch { return null; } };

export function startTheme() {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    stored(() => localStorage.setItem("fathom-theme", next));
    show(next);
  });
  system.addEventListener("change", () => show(document.documentElement.dataset.theme));
  let before;
  addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; show("light"); });
  addEventListener("afterprint", () => show(before));
  show(stored(() => localStorage.getItem("fathom-theme")) || undefined);
}
