// The calls to the console's server.
import { patience } from "./freshness.js";

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
    throw new Error(error.name === "TimeoutError" ? "no answer came in time" : "the console's server does not answer");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.code ? `${problem.code}: ${problem.detail}` : `the server answered ${response.status}`);
}

/** read reads a document. */
export async function read(path) {
  const response = await call(path);
  try {
    return await response.json();
  } catch {
    throw new Error("the answer did not arrive whole");
  }
}

/** within is a path with an identifier in it. */
export const within = (before, id, after = "") => `${before}/${encodeURIComponent(id)}${after}`;
