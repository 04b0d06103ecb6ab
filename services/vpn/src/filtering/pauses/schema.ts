import { z } from 'zod'
import { idText, Timestamp } from '../../envelope.ts'

/** A pause that a device made of its own filter. */
export const DnsPeerPause = z
  .object({
    peer: z.object({ id: z.uuid(), name: z.string() }),
    paused_until: Timestamp.meta({ description: 'Nothing is blocked for the peer until then' }),
  })
  .meta({ id: 'DnsPeerPause' })
export type DnsPeerPause = z.infer<typeof DnsPeerPause>

/** All of them. */
export const DnsPeerPauses = z.array(DnsPeerPause).meta({ id: 'DnsPeerPauses' })

export const DnsPeerPauseParams = z.object({ id: idText })

export const DnsPeerPauseEnded = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'DnsPeerPauseEnded' })
