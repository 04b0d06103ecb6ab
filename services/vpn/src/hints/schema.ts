import { z } from 'zod'
import { plainText, Timestamp, wholeNumber } from '../envelope.ts'

export const HintKind = z.enum(['two_places', 'new_country', 'tunnelling', 'list_surge']).meta({
  description:
    'A key used from two places by turns; a peer’s first connection from another country; names that look like a tunnel; a list that blocks ten times as much as usual',
})
export type HintKind = z.infer<typeof HintKind>

const text = z.string()
const share = z.number().min(0).max(1)

/** An address and its place, as far as the databases know it. */
const Location = z.object({
  address: text,
  country_code: text.nullable(),
  country: text.nullable(),
  asn: wholeNumber.nullable(),
  organization: text.nullable(),
})
export type Location = z.infer<typeof Location>

const TwoPlacesEvidence = z
  .object({
    kind: z.literal('two_places'),
    returns: wholeNumber.meta({ description: 'Returns within the last hour that came with a handshake of their own' }),
    distance_km: z.number().min(0).nullable().meta({ description: 'Greatest distance; null when it is not known' }),
    sightings: z
      .array(Location.extend({ at: Timestamp, handshake_at: Timestamp.nullable() }))
      .meta({ description: 'The last changes of the address, oldest first' }),
  })
  .meta({ id: 'HintTwoPlaces' })

const NewCountryEvidence = z
  .object({
    kind: z.literal('new_country'),
    known: z
      .array(z.object({ country_code: text, country: text, last_seen: Timestamp }))
      .meta({ description: 'Countries that the peer was seen in before, the last one first' }),
    known_since: Timestamp.meta({ description: 'First sighting of the peer' }),
    new: z
      .array(Location.extend({ at: Timestamp }))
      .meta({ description: 'New countries of the journey, oldest first' }),
  })
  .meta({ id: 'HintNewCountry' })

const TunnellingEvidence = z
  .object({
    kind: z.literal('tunnelling'),
    domain: text,
    from: Timestamp,
    to: Timestamp,
    queries: wholeNumber,
    names: wholeNumber.meta({ description: 'Different names, estimated' }),
    mean_length: z.number().min(0).meta({ description: 'Mean of the characters before the domain' }),
    max_label: wholeNumber.meta({ description: 'Characters of the longest label' }),
    entropy: z.number().min(0).meta({ description: 'Bits a character, mean' }),
    nxdomain_share: share,
    bytes_per_minute: wholeNumber.meta({ description: 'Characters of names: the most that they can carry' }),
    types: z
      .array(z.object({ type: text, count: wholeNumber }))
      .meta({ description: 'DNS types, most frequent first' }),
    examples: z.array(text).meta({ description: 'At most five names' }),
  })
  .meta({ id: 'HintTunnelling' })

const ListSurgeEvidence = z
  .object({
    kind: z.literal('list_surge'),
    hour: Timestamp.meta({ description: 'Start of the hour' }),
    count: wholeNumber.meta({ description: 'Queries that the list blocked in the hour so far' }),
    usual: z.number().min(0).meta({ description: 'Queries that it blocks in such an hour, mean' }),
    days: wholeNumber.meta({ description: 'Days that the mean was taken from' }),
    names: z
      .array(z.object({ domain: text, count: wholeNumber }))
      .meta({ description: 'Most frequent names of the hour' }),
    list_updated_at: Timestamp.nullable().meta({ description: 'Last change of the list’s text' }),
    list_entries: wholeNumber,
    after_update: z.boolean().meta({ description: 'The text changed in the 24 hours before' }),
  })
  .meta({ id: 'HintListSurge' })

/** What a hint rests on. */
export const Evidence = z
  .discriminatedUnion('kind', [TwoPlacesEvidence, NewCountryEvidence, TunnellingEvidence, ListSurgeEvidence])
  .meta({ id: 'HintEvidence' })
export type Evidence = z.infer<typeof Evidence>

const HintStatus = z.enum(['open', 'done', 'expected'])

/** A hint at something unusual. */
export const Hint = z
  .object({
    id: z.uuid(),
    kind: HintKind,
    title: text.meta({ description: 'What was found, in a sentence' }),
    subject: z.object({
      type: z.enum(['peer', 'list']),
      id: text,
      name: text,
      exists: z.boolean().meta({ description: 'False when it was deleted' }),
    }),
    topic: text.nullable().meta({ description: 'Code of the country, or the domain' }),
    status: HintStatus,
    count: wholeNumber.meta({ description: 'How often it was found' }),
    first_at: Timestamp,
    last_at: Timestamp,
    answered_at: Timestamp.nullable(),
    answered_by: text.nullable(),
    evidence: Evidence,
  })
  .meta({ id: 'Hint' })
export type Hint = z.infer<typeof Hint>

export const HintQuery = z.strictObject({
  status: z.enum(['open', 'answered', 'all']).default('open'),
  kind: HintKind.optional(),
  peer: plainText(64).toLowerCase().optional().meta({ description: 'Id of a peer' }),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,16}\.[0-9a-f-]{36}$/, 'must be the next_cursor of another answer')
    .optional()
    .meta({ description: 'The next_cursor of the answer before' }),
})
export type HintQuery = z.infer<typeof HintQuery>

/** One part of the hints, newest first. */
export const HintList = z
  .object({
    hints: z.array(Hint),
    next_cursor: text.nullable().meta({ description: 'For the next part; null for the last' }),
    open: wholeNumber.meta({ description: 'Number of all open hints' }),
    countries_unknown: text.nullable().meta({
      description: 'Reason why countries are not known, so that no peer’s new country is found; null when they are',
    }),
  })
  .meta({ id: 'HintList' })
export type HintList = z.infer<typeof HintList>

export const HintAnswer = z
  .strictObject({
    answer: z.enum(['done', 'expected']),
    scope: z.enum(['subject', 'topic']).default('subject').meta({
      description:
        'For `expected`: no hint of this kind for the same peer or list any more, or none for the same country or domain, whichever the peer',
    }),
  })
  .meta({ id: 'HintAnswer' })
export type HintAnswer = z.infer<typeof HintAnswer>

/** Findings that make no hint. */
export const HintException = z
  .object({
    id: z.uuid(),
    kind: HintKind,
    subject: text.nullable().meta({ description: 'Id of the peer or list; null for all' }),
    subject_name: text.nullable(),
    topic: text.nullable().meta({ description: 'Code of the country, or the domain; null for all' }),
    created_at: Timestamp,
    created_by: text.nullable(),
  })
  .meta({ id: 'HintException' })
export type HintException = z.infer<typeof HintException>
