/** Called with everything that matches on the way to a decision; see `explain.ts`. */
export interface Trace {
  /** Rules for the client (or for everyone) about the parent of the name that starts with this label; `at` is their slot. */
  rules(row: number, label: number, at: number): void
  /** Lists name the parent of the name that starts with this label; `at` is the class's place in the bundle's classes. */
  lists(label: number, at: number): void
  /** The name has local records, or those of the wildcard below the parent that starts with this label. */
  records(label: number, source: number): void
  /** A rule with modifiers, or about an address, holds; `place` is its place among the policy's conditional rules. */
  conditional(place: number): void
}
