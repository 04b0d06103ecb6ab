import { z } from 'zod'
import { switchParameter } from '../metrics/schema.ts'

export const ReleaseQuery = z.strictObject({ refresh: switchParameter })
