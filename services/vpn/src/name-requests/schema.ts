import { z } from 'zod'
import { idText, pageQuery, plainText, Timestamp } from '../envelope.ts'

/** Characters of a note or an answer, at most. */
export const maxNote = 200

/** Marks that steer a text instead of standing in it. */
const steering = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A short text of a person in one line. */
export const noteText = (text: string): string => text.replaceAll(steering, ' ').replaceAll(/\s+/gu, ' ').trim()

const RequestStatus = z.enum(['open', 'allowed', 'refused'])

/** A name that a person asked for on the page inside the tunnel. */
export const NameRequest = z
  .object({
    id: z.uuid(),
    peer_id: z.uuid(),
    peer: z.string().meta({ description: 'Name of the peer' }),
    profile: z
      .object({ id: z.uuid(), name: z.string() })
      .nullable()
      .meta({ description: 'The profile that holds for the peer now; null for none' }),
    domain: z.string(),
    reason: z.string().meta({ description: 'Why it was blocked when it was asked for, in words' }),
    note: z.string().meta({ description: 'What the person wrote: text, at most 200 characters' }),
    created_at: Timestamp,
    status: RequestStatus,
    allowed_for: z.enum(['peer', 'profile', 'everyone']).nullable(),
    answer: z.string().meta({ description: 'What the administrator wrote back' }),
    answered_at: Timestamp.nullable(),
    answered_by: z.string().nullable(),
  })
  .meta({ id: 'NameRequest' })
export type NameRequest = z.infer<typeof NameRequest>

export const NameRequestListQuery = z.strictObject({
  ...pageQuery(50),
  status: RequestStatus.optional(),
})
export type NameRequestListQuery = z.infer<typeof NameRequestListQuery>

export const NameRequestParams = z.object({ id: idText })

/** An answer to a request. */
export const NameRequestAnswer = z
  .strictObject({
    allow_for: z.enum(['peer', 'profile', 'everyone']).nullable().meta({
      description:
        'For whom a rule allows the name: the peer, the profile that holds for it, or everyone; null refuses',
    }),
    answer: plainText(maxNote).default('').meta({ description: 'A word for the person, shown on their page' }),
  })
  .meta({ id: 'NameRequestAnswer' })
export type NameRequestAnswer = z.infer<typeof NameRequestAnswer>

export const NameRequestDeleted = z.object({ id: z.uuid(), domain: z.string() }).meta({ id: 'NameRequestDeleted' })

export const NameRequestCount = z
  .object({ open: z.int().min(0).meta({ description: 'Requests that wait for an answer' }) })
  .meta({ id: 'NameRequestCount' })
