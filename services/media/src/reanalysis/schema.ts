import { z } from 'zod'

const count = z.int().min(0)

/** State of the analysis of all finished sounds. */
export const AnalysisState = z
  .object({
    outdated: count.meta({ description: 'Finished sounds without the values that an analysis finds today' }),
    pending: count.meta({ description: 'Sounds that wait for another analysis, or have it right now' }),
  })
  .meta({ id: 'AnalysisState' })
export type AnalysisState = z.infer<typeof AnalysisState>
