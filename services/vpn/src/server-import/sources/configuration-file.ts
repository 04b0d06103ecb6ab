import { FileProblem } from '../../foreign-files/given-file.ts'

/** One value with the line it stands on. */
export interface Entry {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** A part of a configuration file: `[Interface]` or `[Peer]`. */
export interface Section {
  readonly kind: 'interface' | 'peer'
  readonly line: number
  readonly entries: readonly Entry[]
  /** Comments directly above and inside of it, without their marks. */
  readonly comments: readonly string[]
  /** False for a peer that PiVPN switched off: all its lines are comments. */
  readonly enabled: boolean
}

/** PiVPN's mark of the lines of a peer that is switched off. */
const disabledMark = /^#\[disabled\] ?/

/**
 * Parses the form of files that `wg`, `wg-quick` and the WireGuard apps share. Keys are in lower case. Throws a `FileProblem`
 * that names the line.
 */
export function parseConfigurationFile(file: string, text: string): Section[] {
  const reader = new SectionReader(file)
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n|\r/)
    .entries()) {
    const isDisabled = disabledMark.test(raw)
    reader.take(raw.replace(disabledMark, '').trim(), { line: index + 1, isDisabled })
  }
  return reader.sections
}

class SectionReader {
  readonly sections: (Section & { entries: Entry[]; comments: string[] })[] = []
  readonly #file: string
  /** Comments since the last line that was none: they may belong to the section that comes next. */
  #above: string[] = []

  constructor(file: string) {
    this.#file = file
  }

  take(text: string, { line, isDisabled }: { line: number; isDisabled: boolean }): void {
    if (text === '') this.#above = []
    else if (text.startsWith('#') || text.startsWith(';')) this.#comment(text.replace(/^[#;\s]+/, ''))
    else if (text.startsWith('[')) this.#begin(text, line, !isDisabled)
    else this.#entry(text, line)
  }

  #comment(text: string): void {
    // The end of one peer is not the name of the next.
    if (text === '' || /^end\b|^END_PEER\b/i.test(text)) return
    this.#above.push(text)
  }

  #begin(text: string, line: number, enabled: boolean): void {
    const kind = text.toLowerCase().replace(/\s*[#;].*$/, '')
    if (kind !== '[interface]' && kind !== '[peer]')
      throw new FileProblem(this.#file, `line ${line}: has a section other than [Interface] and [Peer]`)
    const comments = this.#above
    this.#above = []
    this.sections.push({ kind: kind === '[peer]' ? 'peer' : 'interface', line, entries: [], comments, enabled })
  }

  #entry(text: string, line: number): void {
    const section = this.sections.at(-1)
    const [, key = '', value = ''] = /^([A-Za-z0-9_]+)\s*=\s*(.*)$/.exec(text) ?? []
    if (section === undefined || key === '')
      throw new FileProblem(this.#file, `line ${line}: is neither a section, a comment nor “key = value”`)
    // A comment between the section's head and its values names the section too.
    section.comments.push(...this.#above)
    this.#above = []
    section.entries.push({ key: key.toLowerCase(), value: value.replace(/\s+[#;].*$/, '').trim(), line })
  }
}

/** Forms in which programs write the name of a peer into a comment. */
const namings = [
  /^client:\s*(.+?)(?:\s+\([0-9a-f-]{8,}\))?$/i,
  /^begin(?:_peer)?\s+(.+?)[\s#]*$/i,
  /^client\s+(.+)$/i,
  /^(?:friendly_)?name\s*[=:]\s*(.+)$/i,
]

/** The name of a peer by its comments; a comment that is one short line is its name as well. */
export function nameInComments(comments: readonly string[]): string | undefined {
  for (const naming of namings) {
    for (const comment of comments) {
      const name = naming.exec(comment)?.[1]?.trim()
      if (name !== undefined && name !== '') return name
    }
  }
  return comments.find((comment) => !/[={}]/.test(comment) && comment.length <= 64)
}
