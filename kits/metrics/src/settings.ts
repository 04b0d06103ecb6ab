import { createAddressSet } from '@hearth/http'
import { settingKind } from '@hearth/runtime'
import { z } from 'zod'

/** The setting of who may scrape, for the schema of a service's settings. */
export const metricsSettings = {
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{20,512}$/, 'must be 20 to 512 printable characters without spaces')
    .meta(settingKind('secret'))
    .optional(),
}

/** The part of a service's configuration that decides who may scrape. */
export type MetricsConfig = ReturnType<typeof metricsConfig>

/** Returns the part of a service's configuration that its `metricsSettings` say. */
export function metricsConfig(settings: {
  readonly METRICS_TOKEN?: string | undefined
  readonly TRUSTED_PROXIES: readonly string[]
  readonly FORWARDED_HEADER: string
}) {
  const proxies = createAddressSet(settings.TRUSTED_PROXIES)
  return {
    metrics: {
      /** Undefined when only loopback may scrape. */
      token: settings.METRICS_TOKEN,
      /** True for the address of a proxy that the operator listed. */
      isListedProxy: (address: string): boolean => proxies.has(address),
      /** In lower case. */
      forwardedHeader: settings.FORWARDED_HEADER.toLowerCase(),
    },
  }
}
