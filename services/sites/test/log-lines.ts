import { createLog, type Log } from '@hearth/runtime'

/** A log whose warnings a test can read. */
export interface LogLines {
  readonly log: Log
  readonly all: readonly string[]
  last(): string
}

/** Keeps the text of every warning; everything else goes nowhere. */
export function createLogLines(): LogLines {
  const all: string[] = []
  const warn = (...words: unknown[]) => void all.push(String(words.at(-1)))
  return {
    log: Object.assign(createLog({ name: 'test', level: 'silent' }), { warn }),
    all,
    last: () => all.at(-1) ?? '',
  }
}
