import type { Database } from '@hearth/database'
import { finishedJob } from '../../test/job-row.ts'
import { wordsOfTags } from '../../src/jobs/search-words.ts'
import type { Tables } from '../../src/tables.ts'

const syllables =
  'ba be bi bo da de di do fa fe ka ke ki ko la le li lo ma me mi mo na ne no ra re ri ro sa se so ta te ti to va ve za zo'.split(
    ' ',
  )
const tagNames = ['warm up', 'peak', 'closing', 'vocal', 'sampled', 'practice', 'wedding', 'archive', 'client', 'live']

/** Numbers that are the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A word of a vocabulary of 4,000, in which few are frequent and many are rare. */
export function wordOf(random: () => number): string {
  const rank = Math.floor(4000 * random() ** 3)
  const at = (divisor: number) => syllables[Math.floor(rank / divisor) % syllables.length] ?? ''
  return `${at(1)}${at(40)}${rank % 3 === 0 ? at(7) : ''}`
}

/** Stores finished downloads with titles, artists, tags, tempi, keys and lengths. */
export async function addLibraryItems(query: Database<Tables>['query'], count: number, random: () => number) {
  const words = (number: number) => Array.from({ length: number }, () => wordOf(random)).join(' ')
  await query.transaction().execute(async (trx) => {
    for (let index = 0; index < count; index += 500) {
      const rows = Array.from({ length: 500 }, (_, offset) => {
        const tags = tagNames.filter(() => random() < 0.08)
        return finishedJob({
          video_title: words(5),
          artist: words(2),
          channel: words(1),
          created_at: 1_700_000_000_000 + (index + offset) * 1000,
          type: random() < 0.8 ? 'audio' : 'video',
          bpm: 60 + Math.floor(random() * 130),
          musical_key: Math.floor(random() * 24),
          duration_ms: 60_000 + Math.floor(random() * 600_000),
          tags: tags.length === 0 ? null : JSON.stringify(tags),
          tag_words: wordsOfTags(tags).join(' '),
        })
      })
      await trx.insertInto('jobs').values(rows).execute()
    }
  })
}
