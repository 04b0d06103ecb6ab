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
import { outboundAllow } from '@hearth/outbound'
import { commaList, filePath, parseSettings, settingKind, wholeNumber, type Environment } from '@hearth/runtime'
import {
  backupConfig,
  backupSettings,
  neighbourConfig,
  neighbourSettings,
  serviceConfig,
  serviceSettings,
} from '@hearth/service'
import { z } from 'zod'
import { isSearchable } from './discovery/host-networks.ts'

const switchSetting = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((text) => text === 'true')

const shared = serviceSettings({ name: 'inverter', port: 8102 })

/** Every setting by its variable, as `readConfig` reads it. */
export const settingsSchema = z.object({
  ...shared,
  FORWARDED_HEADER: shared.FORWARDED_HEADER.refine((name) => name.toLowerCase() !== 'forwarded', {
    error: 'must be a header that lists addresses, such as X-Forwarded-For; Forwarded is not read',
  }),
  ...backupSettings,
  ...neighbourSettings,
  ...securityLogSettings,
  ...openIdSettings,
  ...passkeySettings,
  HMAC_SECRET: z.string().min(32, 'must have at least 32 characters').meta(settingKind('secret')).optional(),
  DOCS_PUBLIC: switchSetting,
  ENABLE_VENDOR_DIAGNOSTICS: switchSetting,
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(600),
  RATE_LIMIT_EXEMPT: networkList,
  OBJECT_REGISTRY_FILE: filePath.optional(),
  WRITE_ALLOWLIST_FILE: filePath.optional(),
  OUTBOUND_ALLOW: outboundAllow,
  SEARCH_NETWORKS: commaList
    .refine((entries) => entries.every(isSearchable), {
      error: 'must be private IPv4 networks of at most 1,024 addresses, such as 192.168.1.0/24, separated by commas',
    })
    .meta(settingKind('network list'))
    .default([]),
})

/** The settings of one gateway, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(settingsSchema, environment)
  return {
    ...serviceConfig(settings),
    ...backupConfig(settings),
    ...neighbourConfig(settings),
    ...securityLogConfig(settings),
    ...openIdConfig(settings),
    ...passkeyConfig(settings),
    hmacSecret: settings.HMAC_SECRET,
    isDocsPublic: settings.DOCS_PUBLIC,
    isVendorDiagnosticsOn: settings.ENABLE_VENDOR_DIAGNOSTICS,
    requestsPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    rateLimitExempt: settings.RATE_LIMIT_EXEMPT,
    registryFile: settings.OBJECT_REGISTRY_FILE,
    allowlistFile: settings.WRITE_ALLOWLIST_FILE,
    outboundAllow: settings.OUTBOUND_ALLOW,
    searchNetworks: settings.SEARCH_NETWORKS,
    /** Started by `npm start` or `hearth up`, which show a simulated inverter when there is no other. */
    isTrial: environment['HEARTH_UP'] === '1',
  }
}

/** Reads the settings and checks the file of a secret that they name, before the service is loaded. */
export function readCheckedConfig(environment: Environment): Config {
  const config = readConfig(environment)
  if (config.openId !== undefined) readClientSecret(config.openId)
  return config
}
