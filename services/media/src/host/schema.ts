import { z } from 'zod'

const bytes = z.int().min(0)
const percent = z.number().min(0).max(100)

/** State of the host; null for what it does not report. */
export const HostInfo = z
  .object({
    storage: z.object({ total: bytes, used: bytes, free: bytes, percent }).nullable(),
    cpu: z.object({ percent, cores: z.number().min(0) }).nullable(),
    memory: z.object({ total: bytes, used: bytes, available: bytes, percent }).nullable(),
    uptime: z.object({ seconds: z.int().min(0), text: z.string() }).nullable(),
  })
  .meta({ id: 'HostInfo' })
export type HostInfo = z.infer<typeof HostInfo>
