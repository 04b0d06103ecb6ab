import type { z } from 'zod'

/** The form in which a service answers: what it puts around the content that a kit's routes make. */
export interface Envelope {
  /** Returns the schema of an answer with this content. */
  readonly schema: (content: z.ZodType) => z.ZodType
  readonly wrap: (content: unknown) => unknown
}

/** The envelope of a service that has none: the content is the answer. */
export const noEnvelope: Envelope = { schema: (content) => content, wrap: (content) => content }
