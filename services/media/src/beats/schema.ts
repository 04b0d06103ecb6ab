import { z } from 'zod'

const seconds = z.number().min(0)
const tempo = z.number().min(0)

/** The beats of a sound: where they are, where bars begin, and how the tempo goes. */
export const BeatGrid = z
  .object({
    bpm: tempo.nullable().meta({ description: 'Tempo, three decimals; null for a sound without a beat' }),
    metre: z.int().min(2).max(7).nullable().meta({
      description:
        'Upper number of the time signature: 2 to 7; 6 is six eighths, whose two beats have three eighths each. Null when it is not known',
    }),
    confidence: z.number().min(0).max(1).meta({ description: 'Share of such answers whose tempo is right' }),
    beats: z.array(seconds).meta({ description: 'Seconds from the beginning of the file, three decimals' }),
    downbeats: z.array(z.int().min(0)).meta({ description: 'Places in `beats`, from 0, at which bars begin' }),
    curve: z
      .array(z.object({ at: seconds, bpm: tempo }))
      .optional()
      .meta({ description: 'Where the tempo drifts or changes: the tempo at points in time' }),
  })
  .meta({ id: 'BeatGrid' })
export type BeatGrid = z.infer<typeof BeatGrid>
