import { z } from 'zod'
import { PublicKey } from '../peers/schema.ts'

/** A new key for a peer. */
export const KeyRotationBegin = z
  .strictObject({
    days: z
      .int()
      .min(1)
      .max(90)
      .default(7)
      .meta({ description: 'Days after which the old key stops, also if the device never used the new one' }),
    public_key: PublicKey.optional().meta({
      description: 'A key made on the device; the service then holds no private key',
    }),
  })
  .meta({ id: 'KeyRotationBegin' })
export type KeyRotationBegin = z.infer<typeof KeyRotationBegin>
