// The elements that the page is made of.

/** element makes an element. Text is only ever set as text. */
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") e.className = value;
    else if (key === "onclick") e.addEventListener("click", value);
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((child) => child !== undefined && child !== ""));
  return e;
}

export const pill = (text, state) => element("span", { class: "pill", "data-state": state }, text);
const none = (text) => element("p", { class: "none" }, text);

// Which colour a word has.
const states = {
  good: ["ok", "healthy", "available", "current", "issued", "promoted", "trust path healthy", "Chain verified from genesis", "Recent events verified"],
  bad: ["offline", "fail_closed", "expired", "denied", "failed", "issuance paused", "No Mesh Nodes connected", "Audit chain could not be verified"],
  idle: ["disabled", "No audit events yet"],
};
export const stateOf = (word) => Object.keys(states).find((state) => states[state].includes(word)) ?? "warn";

export function list(items, empty, render) {
  if (items.length === 0) return none(empty);
  return element("ul", { class: "list" }, ...items.map((item) => element("li", {}, ...render(item))));
}

export const name = (text) => element("span", { class: "name" }, text);
export const detail = (...parts) => element("span", { class: "detail" }, ...parts);

/** time shows a moment to the second; all times are UTC. */
export const time = (text) => element("time", { datetime: text }, text.replace("T", " ").replace(/\.\d+Z$/, ""));
