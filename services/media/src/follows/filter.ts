import type { FollowedListRow } from '../tables.ts'

/** What a filter reads of a medium. */
export interface Filtered {
  readonly title: string | null
  readonly durationSeconds: number | null
  readonly publishedAt: number | null
}

type Filter = Pick<FollowedListRow, 'newer_than' | 'min_seconds' | 'title_has'>

/** Returns true for a medium that a followed list wants. What a platform does not tell excludes nothing. */
export function passes({ title, durationSeconds, publishedAt }: Filtered, filter: Filter): boolean {
  if (filter.newer_than !== null && publishedAt !== null && publishedAt < filter.newer_than) return false
  if (filter.min_seconds !== null && durationSeconds !== null && durationSeconds < filter.min_seconds) return false
  return title === null || hasWords(title, filter.title_has ?? '')
}

function hasWords(title: string, words: string): boolean {
  const plain = fold(title)
  const all = words
    .split(',')
    .map((word) => fold(word.trim()))
    .filter((word) => word !== '' && word !== '-')
  const unwanted = all.flatMap((word) => (word.startsWith('-') ? [word.slice(1).trim()] : []))
  const wanted = all.filter((word) => !word.startsWith('-'))
  if (unwanted.some((word) => plain.includes(word))) return false
  return wanted.length === 0 || wanted.some((word) => plain.includes(word))
}

/** Case and accents do not count. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
