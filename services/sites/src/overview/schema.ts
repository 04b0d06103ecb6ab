import { z } from 'zod'
import { Node } from '../deploy/nodes/schema.ts'

const count = z.int().min(0)

/** The figures of the first page. */
export const DashboardMetrics = z
  .object({
    domain_count: count,
    enabled_domain_count: count,
    site_count: count,
    enabled_site_count: count,
    pending_site_count: count.meta({ description: 'Enabled, and not served as they are wanted yet' }),
    failed_site_count: count.meta({ description: 'A server has refused them' }),
    drifted: z.boolean().meta({ description: 'Somebody else has changed the configuration of a server' }),
    valid_certificate_count: count.nullable(),
    expired_certificate_count: count.nullable(),
    expiring_soon_certificate_count: count.nullable(),
    caddy_service_status: z.enum(['Running', 'Unknown']),
    caddy_service_uptime: z
      .string()
      .meta({ description: 'Since when the service sees it run; Caddy itself does not say' }),
    caddy_version: z.string().nullable(),
    requests_total: count.meta({ description: 'Of the last 24 hours' }),
    requests_per_second: z.number().min(0),
    status_classes: z.object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count }),
    p50_ms: z.number().nullable(),
    p95_ms: z.number().nullable(),
    top_sites: z.array(z.object({ site_id: z.int(), site_name: z.string(), requests: count })),
    upstreams_up: count.nullable(),
    upstreams_down: count.nullable(),
    nodes: z.array(Node.pick({ id: true, name: true, state: true, version: true, error: true })),
    log_followed: z.boolean().meta({ description: 'Whether there is an access log to count requests from' }),
  })
  .meta({ id: 'DashboardMetrics' })
export type DashboardMetrics = z.infer<typeof DashboardMetrics>

/** State of the first Caddy. */
export const CaddyRunning = z
  .object({
    running: z.boolean(),
    status: z.enum(['Running', 'Unknown']),
    uptime: z.string(),
    version: z.string().nullable(),
  })
  .meta({ id: 'CaddyRunning' })
export type CaddyRunning = z.infer<typeof CaddyRunning>
