/** Report of a compiled list: its entries, comments and unsupported lines. */
export interface ListReport {
  readonly id: string
  readonly lines: number
  /** Lines that count; `lines` = `accepted` + `comments` + all of `unsupported`. */
  readonly accepted: number
  /** Comments, blank lines, and those about the machine itself, such as `127.0.0.1 localhost`. */
  readonly comments: number
  /** Different names and patterns the list says something of. */
  readonly entries: number
  /** Lines that mean nothing to a resolver, by reason. */
  readonly unsupported: Readonly<Record<string, number>>
  /** A few of them. */
  readonly examples: readonly { readonly line: number; readonly text: string; readonly reason: string }[]
}

/** Number of examples kept, in total and of one reason. */
const maxExamples = 20
const examplesOfOne = 4
const maxExampleLength = 120

const overlaps = 'too many overlaps'

/** Accounts for every line of a list. */
export class LineCount {
  lines = 0
  accepted = 0
  comments = 0
  entries = 0
  readonly #unsupported = new Map<string, number>()
  readonly #examples: { line: number; text: string; reason: string }[] = []

  /** The line that was counted last means nothing here. */
  refuse(reason: string, text: string): void {
    const count = (this.#unsupported.get(reason) ?? 0) + 1
    this.#unsupported.set(reason, count)
    if (count > examplesOfOne || this.#examples.length >= maxExamples) return
    const shown = text.slice(0, maxExampleLength).replaceAll(/\p{C}/gu, '\u{fffd}')
    this.#examples.push({ line: this.lines, text: shown, reason })
  }

  /** Counts names of accepted lines that could not be kept, as lists overlap in too many ways. */
  lose(names: number): void {
    const lines = Math.min(names, this.accepted)
    if (lines === 0) return
    this.accepted -= lines
    this.#unsupported.set(overlaps, (this.#unsupported.get(overlaps) ?? 0) + lines)
  }

  report(id: string): ListReport {
    const { lines, accepted, comments, entries } = this
    const unsupported = Object.fromEntries([...this.#unsupported].sort(([, a], [, b]) => b - a))
    return { id, lines, accepted, comments, entries, unsupported, examples: this.#examples }
  }
}
