// The calls to the console's server.
import { patience } from "./freshness.js";
import { isObject, Plain } from "./shape.js";

/** actionPatience is how long a call that changes something, or waits for
 * witnesses, may take, in milliseconds. */
const actionPatience = 40000;

/** call asks the console's server, and throws what a problem document says. */
export async function call(path, method = "GET", body = undefined) {
  const options = { method, cache: "no-store", signal: AbortSignal.timeout(method === "GET" ? patience : actionPatience) };
  if (method !== "GET") options.headers = { "X-Svc-Console": "1" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw new Plain(error.name === "TimeoutError" ? "no answer came in time" : "the console's server does not answer");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => undefined);
  const parts = isObject(problem) ? [problem.code, problem.detail].filter((part) => typeof part === "string" && part !== "") : [];
  throw new Plain(parts.join(": ") || `the server answered ${response.status}`);
}

/** Malformed is an answer that arrived whole, and is no document. */
export class Malformed extends Plain {}

/** document is the document of an answer. */
export async function document(response) {
  let text;
  try {
    text = await response.text();
  } catch (error) {
    throw new Plain(error.name === "TimeoutError" ? "no answer came in time" : "the answer did not arrive whole");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed("the answer is no JSON document");
  }
}

/** read reads a document of a shape. */
export async function read(path, shape = () => {}) {
  const answer = await document(await call(path));
  shape(answer, path.replace(/\?.*/, ""));
  return answer;
}

/** within is a path with an identifier in it. */
export const within = (before, id, after = "") => `${before}/${encodeURIComponent(id)}${after}`;
