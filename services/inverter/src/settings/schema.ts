import { z } from 'zod'
import { MetricName } from '../catalog/schema.ts'

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address or a CIDR network',
})

/** Content and access of `GET /metrics`. */
export const ScraperSettings = z
  .strictObject({
    metrics: z.array(MetricName).max(64).meta({ description: 'Values shown, in this order' }),
    token_required: z.boolean(),
    sources: z
      .array(network)
      .max(32)
      .meta({ description: 'Addresses that may scrape without a token; empty for anyone' }),
    requests_per_minute: z.int().min(1).max(10_000),
  })
  .meta({ id: 'ScraperSettings' })
export type ScraperSettings = z.infer<typeof ScraperSettings>

/** Settings that administrators change at runtime. */
export const GatewaySettings = z
  .strictObject({
    live_interval_seconds: z
      .int()
      .min(2)
      .max(60)
      .meta({ description: 'Interval of the energy flow while a page is open' }),
    scraper: ScraperSettings,
  })
  .meta({ id: 'GatewaySettings' })
export type GatewaySettings = z.infer<typeof GatewaySettings>

/** Settings from the environment; read-only. */
export const EnvironmentFacts = z
  .object({
    bind_address: z.string(),
    bind_port: z.int(),
    docs_public: z.boolean(),
    vendor_diagnostics: z.boolean(),
    trusted_proxies: z.array(z.string()),
    forwarded_header: z.string(),
    requests_per_minute: z.int(),
  })
  .meta({ id: 'EnvironmentFacts' })
export type EnvironmentFacts = z.infer<typeof EnvironmentFacts>

export const SettingsView = z
  .object({ settings: GatewaySettings, environment: EnvironmentFacts, write_access: z.boolean() })
  .meta({ id: 'SettingsView' })

export const WriteAccess = z.strictObject({ enabled: z.boolean() }).meta({ id: 'WriteAccess' })
