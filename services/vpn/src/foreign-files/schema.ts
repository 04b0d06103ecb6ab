import { z } from 'zod'
import { plainText } from '../envelope.ts'

/** Bytes of all files of an import together, at most. */
export const maxBytes = 8 * 1_048_576
/** Files of an import, at most. */
export const maxFiles = 2000

const ForeignFile = z.strictObject({
  name: plainText(255).min(1).meta({ description: 'Such as `wg0.conf`; its ending says what it is' }),
  content: z.base64().meta({ description: 'The file in base64' }),
})

/** Files of another program, in base64. */
export const ForeignFiles = z
  .array(ForeignFile)
  .min(1)
  .max(maxFiles)
  .refine(
    (files) => files.reduce((sum, { content }) => sum + (content.length * 3) / 4, 0) <= maxBytes,
    'must be at most 8 MiB together',
  )

/** Something that does not come along. */
export const LeftOutEntry = z.object({ about: z.string(), reason: z.string() })
