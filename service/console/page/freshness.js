// How old what the page shows is. A page that cannot be brought up to date must
// not look as if it were.

/** patience is how long a reading may take, in milliseconds. */
export const patience = 5000;

/** staleAfter is the age at which what is shown is not current any more, in
 * milliseconds, also if no reading has failed. */
export const staleAfter = 15000;

// A machine that sleeps stops one of these clocks, and somebody may set the other.
export const elapsed = (since) => Math.max(performance.now() - since.ticks, Date.now() - since.clock);
export const now = () => ({ ticks: performance.now(), clock: Date.now() });

/** Freshness knows when the newest state came. */
export class Freshness {
  #asOf = ""; // what the cloud said of it
  #since = now(); // when it was asked for, or the page was opened
  #failed = false; // whether the last reading did

  /** took takes note of a state that was asked for at a moment, and is at least
   * as new. One that was seen before is no newer. */
  took(asOf, since) {
    this.#failed = false;
    if (asOf === this.#asOf) return;
    this.#asOf = asOf;
    this.#since = since;
  }

  failed() {
    this.#failed = true;
  }

  /** stale reports whether what is shown may have changed since. */
  get stale() {
    return this.#failed || elapsed(this.#since) > staleAfter;
  }

  /** words say of when what is shown is. */
  get words() {
    const seconds = Math.max(0, Math.floor(elapsed(this.#since) / 1000));
    return this.#asOf === "" ? "" : `as of ${this.#asOf.slice(11, 19)} UTC, ${seconds} s ago`;
  }
}
