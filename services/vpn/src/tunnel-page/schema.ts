import { z } from 'zod'

/** Where the page inside the tunnel is. */
export const TunnelPageStatus = z
  .object({
    enabled: z.boolean(),
    unavailable: z
      .string()
      .nullable()
      .meta({ description: 'Why there is no page although it is switched on; or null' }),
    places: z.array(
      z.object({
        interface: z.string(),
        address: z.string(),
        port: z.int(),
        urls: z.array(z.string()).meta({ description: 'What people type, the shortest first' }),
        error: z.string().nullable().meta({ description: 'What keeps it from listening; null when it listens' }),
      }),
    ),
  })
  .meta({ id: 'TunnelPageStatus' })
export type TunnelPageStatus = z.infer<typeof TunnelPageStatus>
