import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { parseJson } from '@hearth/runtime'
import { z } from 'zod'

const value = z.union([z.number(), z.boolean(), z.string()])

/** Values of parameters by metric name, and why others have none. */
const Payload = z.object({
  values: z.record(z.string(), value),
  failures: z.record(z.string(), z.enum(['unanswered', 'invalid'])),
})
export type SnapshotPayload = z.infer<typeof Payload>

/** A payload without any value. */
export const emptyPayload = (): SnapshotPayload => ({ values: {}, failures: {} })

/** Most bytes that a stored payload may have when it is unpacked. */
const maxBytes = 1_048_576

/** Packs values into compressed text. */
export function packPayload(payload: SnapshotPayload): string {
  return deflateRawSync(JSON.stringify(payload), { level: 9 }).toString('base64')
}

/** Unpacks values; a text that is none, as after a bad restore, holds no values. */
export function unpackPayload(text: string): SnapshotPayload {
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: maxBytes })
    return Payload.parse(parseJson(bytes.toString()))
  } catch {
    return emptyPayload()
  }
}
