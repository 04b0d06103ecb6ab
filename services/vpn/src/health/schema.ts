import { z } from 'zod'

/** Something that keeps the service from doing what its users expect, and what to do about it. */
export const HealthNotice = z
  .object({
    code: z.enum([
      'resolver_down',
      'resolver_unreachable',
      'upstreams_failing',
      'upstream_failing',
      'interface_failed',
      'no_names',
      'lists_not_updated',
      'private_dns_certificate',
      'private_dns_unreachable',
      'tunnel_page',
      'node_lost',
      'node_dns',
      'simulated',
      'drift',
    ]),
    severity: z.enum(['critical', 'warning']),
    title: z.string(),
    detail: z.string().meta({ description: 'What was found, with the servers, lists or interfaces concerned' }),
    advice: z.string().meta({ description: 'What to do' }),
  })
  .meta({ id: 'HealthNotice' })
export type HealthNotice = z.infer<typeof HealthNotice>
