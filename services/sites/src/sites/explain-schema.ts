import { z } from 'zod'
import { Tls } from './guard-schema.ts'

export const ExplainQuery = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(4096)
    .meta({ description: 'As a visitor would write it' }),
  client_ip: z.union([z.ipv4(), z.ipv6()]).optional(),
})

/** Explains how a request is answered. */
export const Explanation = z
  .object({
    server: z.enum(['http', 'https']),
    site: z.object({ id: z.int(), site_name: z.string(), domain: z.string() }).nullable(),
    path: z.object({ match: z.enum(['prefix', 'exact']), path: z.string() }).nullable(),
    tls: Tls.nullable(),
    steps: z.array(z.string()).meta({ description: 'What stands before the answer, in the order it is met' }),
    answer: z.record(z.string(), z.unknown()).meta({ description: 'kind, and what belongs to it' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof Explanation>
