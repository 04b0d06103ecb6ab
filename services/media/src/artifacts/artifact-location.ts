import { z } from 'zod'
export const artifactLocation = z.string().optional()
