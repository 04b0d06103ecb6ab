import { z } from 'zod'

/** The shape of a sound: loudest samples of equal stretches, from 0 to 1. */
export const Waveform = z
  .object({ peaks: z.array(z.number().min(0).max(1)), duration_seconds: z.number().min(0) })
  .meta({ id: 'Waveform' })
export type Waveform = z.infer<typeof Waveform>
