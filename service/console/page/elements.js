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

export const at = (id) => document.getElementById(id);

/** replace replaces what an element holds. What had the focus keeps it. */
export function replace(target, ...children) {
  const focused = document.activeElement?.id;
  target.replaceChildren(...children);
  if (focused && document.activeElement?.id !== focused) at(focused)?.focus();
}

/** options gives a select element other choices, if they are others. */
export function options(select, choices) {
  if (choices.join("\n") === [...select.options].map((o) => o.value).join("\n")) return;
  const chosen = select.value;
  select.replaceChildren(...choices.map((value) => element("option", { value }, value)));
  if (choices.includes(chosen)) select.value = chosen;
}

export const pill = (text, state) => element("span", { class: "pill", "data-state": state }, text);
const none = (text) => element("p", { class: "none" }, text);

/** button is a small button of a row. */
export const button = (id, text, onclick) => element("button", { type: "button", class: "quiet small", id, onclick }, text);

// Which colour a word has.
const states = {
  good: ["ok", "healthy", "available", "current", "issued", "promoted", "trust path healthy", "Chain verified from genesis", "Recent events verified"],
  bad: ["offline", "fail_closed", "expired", "denied", "failed", "revoked", "issuance paused", "No Mesh Nodes connected", "Audit chain could not be verified"],
  idle: ["disabled", "unused", "No audit events yet"],
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

/** short shows the beginning of a digest. */
export const short = (digest) => element("code", { title: digest }, digest.slice(0, 16));

/** visible spells out the characters that cannot be seen, or that turn the text
 * around them. */
export const visible = (text) => text.replace(/[\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu,
  (c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));
