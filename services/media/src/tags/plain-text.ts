/** Control characters, zero-width characters and bidirectional marks: nobody sees them, and they change how the rest reads. */
// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]+/g

/** Characters of a foreign text that are looked at, for one that is kept: blanks and unseen ones may be many. */
const lookedAt = 8

/** A foreign text as one line of at most `max` characters without anything unseen in it; null when nothing is left. */
export function plainText(text: string | null | undefined, max: number): string | null {
  const start = (text ?? '').slice(0, max * lookedAt).toWellFormed()
  const line = start.replaceAll(unseen, ' ').replaceAll(/\s+/g, ' ').trim()
  return Array.from(line).slice(0, max).join('').trim() || null
}
