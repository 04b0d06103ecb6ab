import { nameKey } from '../envelope.ts'
import type { PeerRow } from '../tables.ts'

/** Tags that a peer has at most. */
export const maxTags = 16

/** Columns of a peer that hold its tags. */
export type TagColumns = Pick<PeerRow, 'tags' | 'tag_keys'>

/** Returns the columns for these tags, which differ in more than case. */
export function tagColumns(tags: readonly string[]): TagColumns {
  const sorted = tags.toSorted((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1))
  // A line for each key, with its end on both sides: so a key is found whole.
  const tag_keys = sorted.length === 0 ? '' : `\n${sorted.map(nameKey).join('\n')}\n`
  return { tags: JSON.stringify(sorted), tag_keys }
}

/** Returns the tags of a peer, in the order of pages. */
export const tagsOf = ({ tags }: Pick<PeerRow, 'tags'>): string[] => JSON.parse(tags) as string[]

/** Returns tags with another; the same when it is among them, in whatever case. */
export function withTag(tags: readonly string[], tag: string): string[] {
  return hasTag(tags, tag) ? [...tags] : [...tags, tag]
}

/** Returns tags without one, in whatever case it is written. */
export function withoutTag(tags: readonly string[], tag: string): string[] {
  return tags.filter((each) => nameKey(each) !== nameKey(tag))
}

const hasTag = (tags: readonly string[], tag: string) => tags.some((each) => nameKey(each) === nameKey(tag))

/** Returns true if no two tags are the same regardless of case. */
export const areDistinct = (tags: readonly string[]): boolean => new Set(tags.map(nameKey)).size === tags.length

/** A tag and the number of peers that have it. */
export interface TagCount {
  readonly tag: string
  readonly peers: number
}

/** Adds up tags of groups of peers with the same tags; a tag is shown as the most peers write it. */
export function countTags(groups: readonly { readonly tags: string; readonly count: number }[]): TagCount[] {
  const spellings = new Map<string, Map<string, number>>()
  for (const group of groups) {
    for (const tag of tagsOf(group)) {
      const counts = spellings.get(nameKey(tag)) ?? new Map<string, number>()
      spellings.set(nameKey(tag), counts.set(tag, (counts.get(tag) ?? 0) + group.count))
    }
  }
  const sorted = [...spellings].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([, counts]) => {
    const [[tag] = ['']] = [...counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    return { tag, peers: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
}
