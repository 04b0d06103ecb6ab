import { resolve } from 'node:path'
import {
  openIdConfig,
  openIdSettings,
  passkeyConfig,
  passkeySettings,
  readClientSecret,
  securityLogConfig,
  securityLogSettings,
} from '@hearth/accounts'
import { networkList } from '@hearth/http'
import {
  checkFile,
  type Clock,
  type Environment,
  filePath,
  parseSettings,
  settingKind,
  wholeNumber,
} from '@hearth/runtime'
import { metricsConfig, metricsSettings } from '@hearth/metrics'
import { outboundAllow, type Resolver } from '@hearth/outbound'
import {
  backupConfig,
  backupSettings,
  databaseConfig,
  databaseSettings,
  neighbourConfig,
  neighbourSettings,
  serviceConfig,
  serviceSettings,
} from '@hearth/service'
import { z } from 'zod'
import { listenSetting, upstreamSetting } from './dns/environment-settings.ts'
import { nodeSettings } from './nodes/config.ts'
import { privateDnsConfig, privateDnsSettings } from './private-dns/config.ts'
import { PublicEndpoint } from './settings/schema.ts'

/** Every setting by its variable, as `readConfig` reads it. */
export const settingsSchema = z.object({
  ...serviceSettings({ name: 'vpn', port: 8101 }),
  ...databaseSettings,
  ...backupSettings,
  ...neighbourSettings,
  ...metricsSettings,
  ...securityLogSettings,
  ...openIdSettings,
  ...passkeySettings,
  WIREGUARD_BACKEND: z
    .enum(['auto', 'kernel', 'userspace', 'simulated'], { error: 'must be auto, kernel, userspace or simulated' })
    .default('auto'),
  PUBLIC_ENDPOINT: PublicEndpoint.meta(settingKind('host')).optional(),
  RATE_LIMIT_EXEMPT: networkList,
  DNS_LISTEN: listenSetting,
  DNS_LISTEN_CLIENT: z.string().meta(settingKind('text')).optional(),
  DNS_UPSTREAMS: upstreamSetting,
  ...privateDnsSettings,
  ...nodeSettings,
  DNS_ENGINE: z.enum(['auto', 'ffi', 'dgram'], { error: 'must be auto, ffi or dgram' }).default('auto'),
  GEOIP_COUNTRY_DB: filePath.optional(),
  GEOIP_ASN_DB: filePath.optional(),
  OUTBOUND_ALLOW: outboundAllow,
  DRIFT_CHECK_SECONDS: wholeNumber(1, 3600, 'must be a whole number of seconds from 1 to 3600').default(30),
})

/** The settings of one VPN service, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(settingsSchema, environment)
  return {
    ...serviceConfig(settings),
    ...databaseConfig(settings),
    ...backupConfig(settings),
    ...neighbourConfig(settings),
    ...metricsConfig(settings),
    ...securityLogConfig(settings),
    ...openIdConfig(settings),
    ...passkeyConfig(settings),
    backend: settings.WIREGUARD_BACKEND,
    publicEndpoint: endpointOf(settings),
    rateLimitExempt: settings.RATE_LIMIT_EXEMPT,
    dnsListen: settings.DNS_LISTEN,
    dnsListenClient: settings.DNS_LISTEN_CLIENT,
    dnsUpstreams: settings.DNS_UPSTREAMS,
    dnsEngine: settings.DNS_ENGINE,
    privateDns: privateDnsConfig(settings),
    nodesListen: settings.VPN_NODES_LISTEN,
    outboundAllow: settings.OUTBOUND_ALLOW,
    /** Looks up the hosts of lists and databases; undefined for the system's resolver. Tests have their own. */
    hostLookup: undefined as Resolver | undefined,
    /** The time; undefined for that of the machine. Tests have their own. */
    clock: undefined as Clock | undefined,
    driftCheckSeconds: settings.DRIFT_CHECK_SECONDS,
    geoDatabases: { country: pathOf(settings.GEOIP_COUNTRY_DB), asn: pathOf(settings.GEOIP_ASN_DB) },
  }
}

function pathOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}

/** The host for devices that the environment names, and the variable that names it. */
function endpointOf({ PUBLIC_ENDPOINT: endpoint, PUBLIC_URL: url }: z.infer<typeof settingsSchema>) {
  if (endpoint !== undefined && endpoint !== '') return { host: endpoint, source: 'PUBLIC_ENDPOINT' } as const
  if (url === undefined) return undefined
  return { host: new URL(url).hostname.replace(/^\[|\]$/g, ''), source: 'PUBLIC_URL' } as const
}

/**
 * Reads the settings and checks the files they name before anything is written and before the service is loaded. Throws an
 * `OperatorError` that names the wrong one. A database of places and a certificate may come later, so a missing one is no error.
 */
export function readCheckedConfig(environment: Environment): Config {
  const config = readConfig(environment)
  const { country, asn } = config.geoDatabases
  if (config.openId !== undefined) readClientSecret(config.openId)
  const { certificate = '', key = '' } = config.privateDns ?? {}
  if (certificate !== '') checkFile('DNS_TLS_CERTIFICATE', certificate, { mayBeMissing: true })
  if (key !== '') checkFile('DNS_TLS_KEY', key, { mayBeMissing: true })
  if (country !== undefined) checkFile('GEOIP_COUNTRY_DB', country, { mayBeMissing: true })
  if (asn !== undefined) checkFile('GEOIP_ASN_DB', asn, { mayBeMissing: true })
  return config
}
