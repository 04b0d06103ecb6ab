import type { Envelope } from '@hearth/http'
import { z } from 'zod'

/** Names an envelope in the API description after what it holds: `Peer` comes in a `PeerResponse`. */
const named = <Around extends z.ZodType>(around: Around, held: z.ZodType, ending: string): Around =>
  around.meta({ id: `${held.meta()?.id ?? ''}${ending}` })

/** A successful answer around one resource or a whole collection. */
export const dataEnvelope = <T extends z.ZodType>(data: T) =>
  named(z.object({ success: z.literal(true), data }), data, 'Response')

/** The answer to something created or done, with a sentence for a person. */
export const messageEnvelope = <T extends z.ZodType>(data: T) =>
  named(z.object({ success: z.literal(true), data, message: z.string() }), data, 'MessageResponse')

/** One page of a collection; the peer list is the exception, its counts stand inside `data`. */
export const pageEnvelope = <T extends z.ZodType>(item: T) =>
  named(
    z.object({ success: z.literal(true), data: z.array(item), total: count, limit: count, offset: count }),
    item,
    'ListResponse',
  )

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A number of things or bytes. */
export const wholeNumber = count

/** A time in UTC, ISO 8601. */
export const Timestamp = z.iso.datetime()

/** Text without the one character PostgreSQL cannot hold. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'must not contain a null character')

/** An id as it comes from outside: UUIDs are compared without regard to case (RFC 9562). */
export const idText = plainText(64).toLowerCase()

/** The form in which two names are the same. */
export const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase()

/** Parts of a comma-separated list, in order; none of an empty one. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Paging as every list takes it; `limit` has its own default for some lists. */
export const pageQuery = (defaultLimit: number) => ({
  limit: z.coerce.number().int().min(1).max(100).default(defaultLimit),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
})

/** The body of every error. */
export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'Kind of error, such as "Not Found"' }),
    message: z.string().meta({ description: 'What is wrong, for a person' }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Wraps one page of a collection, as `pageEnvelope` describes it. */
export const page = <T>(found: { rows: T[]; total: number }, { limit, offset }: { limit: number; offset: number }) => ({
  success: true as const,
  data: found.rows,
  total: found.total,
  limit,
  offset,
})

/** Wraps a result in the envelope. */
export const ok = <T>(data: T) => ({ success: true as const, data })
/** The envelope of this service, for the routes of kits. */
export const envelope: Envelope = { schema: dataEnvelope, wrap: ok }
/** Wraps a result and a sentence for a person in the envelope. */
export const done = <T>(data: T, message: string) => ({ success: true as const, data, message })

/** An OpenAPI document; its own specification says what is in it. */
export const OpenApiDocument = z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' })
