import type { LibraryQuery } from '../api.ts'

/** Filters of the library in the page's address; empty texts narrow nothing. */
export interface LibraryFilter {
  search: string
  type: string
  platform: string
  /** Tags, separated by commas. */
  tags: string
  /** Id of a collection. */
  collection: string
  /** Lowest and highest tempo, as `120-125`, `120-` or `-125`. */
  bpm: string
  /** Keys on the Camelot wheel, separated by commas. */
  keys: string
  /** One of `lengths`. */
  length: string
  /** One of `sorts`. */
  sort: string
}

/** The lengths that can be chosen, in seconds. */
export const lengths = [
  { value: '', label: 'Any length' },
  { value: '-119', label: 'Under 2 minutes' },
  { value: '120-299', label: '2 to 5 minutes' },
  { value: '300-1199', label: '5 to 20 minutes' },
  { value: '1200-', label: 'Over 20 minutes' },
]

/** The orders of the library; empty is the newest first, or a collection's own. */
export const sorts = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title' },
  { value: 'bpm', label: 'Tempo, slow first' },
  { value: '-bpm', label: 'Tempo, fast first' },
  { value: 'key', label: 'Key' },
  { value: 'duration', label: 'Shortest first' },
  { value: '-duration', label: 'Longest first' },
]

/** All keys of the Camelot wheel. */
export const camelotKeys = Array.from({ length: 24 }, (_, index) => `${(index >> 1) + 1}${index % 2 === 0 ? 'A' : 'B'}`)

/** Splits a text at its commas. */
export const listOf = (text: string): string[] => text.split(',').filter((part) => part !== '')

/** Reads `120-125`; what is missing or no number is undefined. */
export function rangeOf(text: string): { from: number | undefined; to: number | undefined } {
  const [from, to] = text.split('-').map((part) => (/^\d+$/.test(part) ? Number(part) : undefined))
  return { from, to }
}

/** Writes a range as the address has it. */
export function rangeText(from: number | undefined, to: number | undefined): string {
  return from === undefined && to === undefined ? '' : `${from ?? ''}-${to ?? ''}`
}

/** A tempo range for people: `120 to 125 BPM`. */
export function tempoText(text: string): string {
  const { from, to } = rangeOf(text)
  if (from !== undefined && to !== undefined) return from === to ? `${from} BPM` : `${from} to ${to} BPM`
  return from === undefined ? `up to ${to ?? 0} BPM` : `from ${from} BPM`
}

/** The parameters of a search. */
export function queryOf(filter: LibraryFilter): LibraryQuery {
  const [bpm, length] = [rangeOf(filter.bpm), rangeOf(filter.length)]
  const wanted = {
    q: filter.search,
    type: filter.type,
    platform: filter.platform,
    tags: filter.tags,
    collection: filter.collection,
    bpm_from: bpm.from,
    bpm_to: bpm.to,
    keys: filter.keys,
    length_from: length.from,
    length_to: length.to,
    ...orderOf(filter.sort),
  }
  const set = Object.entries(wanted).filter(([, value]) => value !== '' && value !== undefined)
  return Object.fromEntries(set)
}

function orderOf(sort: string) {
  if (sort === 'oldest') return { sort: 'added', order: 'asc' }
  return sort.startsWith('-') ? { sort: sort.slice(1), order: 'desc' } : { sort }
}

/** Returns true if the filter hides anything. */
export const isNarrowed = (filter: LibraryFilter): boolean =>
  Object.values({ ...filter, sort: '' }).some((part) => part !== '')
