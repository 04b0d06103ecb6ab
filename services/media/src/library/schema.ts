import { z } from 'zod'
import { Job } from '../jobs/schema.ts'
import { camelotPlace } from '../music/musical-keys.ts'
import { MediaType, Platform } from '../platforms/schema.ts'
import { maxTagLength } from '../jobs/job-tags.ts'

const wholeNumber = 'must be a whole number'
const number = (min: number, max: number) => z.coerce.number(wholeNumber).int(wholeNumber).min(min).max(max)
const tempo = number(1, 1000).optional()
const seconds = number(0, 1_000_000).optional()

/** A tag: kept in lower case, without commas, so that several can stand in one parameter. */
export const Tag = z
  .string()
  .transform((text) => text.toWellFormed().trim().replaceAll(/\s+/g, ' ').toLowerCase())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(maxTagLength)
      // oxlint-disable-next-line no-control-regex -- that is what must not be in it
      .regex(/^[^,\u0000-\u001f\u007f]*$/, 'must be without commas and control characters'),
  )
  .meta({ description: 'Kept in lower case' })

const list = <Value>(entry: z.ZodType<Value, string>, max: number) =>
  z
    .string()
    .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
    .pipe(z.array(entry).max(max))

const CamelotKey = z
  .string()
  .transform((text) => camelotPlace(text.trim()) ?? Number.NaN)
  .pipe(z.int('must be keys such as 8A or 12B'))

/** What the library is sorted by; items without the value come last. */
export const LibrarySort = z.enum(['added', 'title', 'duration', 'bpm', 'key'])
export type LibrarySort = z.infer<typeof LibrarySort>

/** A search of the library. What is left out does not narrow it. */
export const LibraryQuery = z.object({
  q: z.string().max(200).default('').meta({
    description: 'Beginnings of words of the title, artist, album, channel or tags; all of them must be found',
  }),
  type: MediaType.optional(),
  platform: Platform.optional(),
  tags: list(Tag, 10).optional().meta({ description: 'Tags that an item must all have, separated by commas' }),
  collection: z.uuid().toLowerCase().optional(),
  bpm_from: tempo,
  bpm_to: tempo,
  keys: list(CamelotKey, 24)
    .optional()
    .meta({ description: 'Keys on the Camelot wheel, separated by commas: `8A,9A`' }),
  length_from: seconds.meta({ description: 'Seconds' }),
  length_to: seconds.meta({ description: 'Seconds' }),
  sort: LibrarySort.optional().meta({
    description: 'Without it the newest come first, or those of a collection in its order',
  }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: '`desc` for added, otherwise `asc`' }),
  offset: number(0, 1_000_000).default(0),
  limit: number(1, 100).default(60),
})
export type LibraryQuery = z.infer<typeof LibraryQuery>

/** Items are counted up to this number. */
export const countedItems = 1000

/** A page of the library: finished downloads whose file is there. */
export const LibraryPage = z
  .object({
    items: z.array(Job),
    total: z
      .int()
      .min(0)
      .meta({ description: `Number of items found; counted up to ${countedItems}` }),
    is_total_exact: z.boolean().meta({ description: 'false when there are more than `total`' }),
  })
  .meta({ id: 'LibraryPage' })
export type LibraryPage = z.infer<typeof LibraryPage>

/** The tags of the library. */
export const TagCounts = z
  .array(z.object({ tag: z.string(), count: z.int().min(1) }))
  .meta({ id: 'TagCounts', description: 'The most used first, 500 at most' })
export type TagCounts = z.infer<typeof TagCounts>

/** Tags to be given to jobs and taken from them. */
export const TagChange = z
  .strictObject({
    job_ids: z.array(z.string().toLowerCase()).min(1).max(200),
    add: z.array(Tag).max(20).default([]),
    remove: z.array(Tag).max(20).default([]),
  })
  .meta({ id: 'TagChange' })
export type TagChange = z.infer<typeof TagChange>

/** Result of a change of tags. */
export const TagsChanged = z
  .object({ jobs: z.array(Job).meta({ description: 'The jobs that exist, as they are now' }) })
  .meta({ id: 'TagsChanged' })
