import { isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  openIdConfig,
  openIdSettings,
  passkeySettings,
  readClientSecret,
  readRelyingParty,
  securityLogConfig,
  securityLogSettings,
  tokenConfig,
  tokenSettings,
} from '@hearth/accounts'
import { metricsConfig, metricsSettings } from '@hearth/metrics'
import { allowAddresses, outboundAllow } from '@hearth/outbound'
import {
  absolutePath,
  checkProgram,
  commaList,
  hasCredentials,
  parseSettings,
  portNumber,
  settingKind,
  webAddress,
  type Environment,
} from '@hearth/runtime'
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
import { parseAdminAddress } from './deploy/nodes/admin-address.ts'

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !hasCredentials(text)

const isResolver = (entry: string): boolean => {
  const [, four, six, port = '53'] = /^(?:([\d.]+)|\[(.+)\])(?::(\d+))?$/.exec(entry) ?? []
  return isIP(four ?? six ?? '') !== 0 && Number(port) > 0 && Number(port) < 65_536
}

/** Refuses what is neither the address of an admin endpoint nor the path of its socket, with the reason. */
const adminAddress = z
  .string()
  .superRefine((text, context) => {
    try {
      parseAdminAddress(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
  .meta(settingKind('own form'))

const directoryList = commaList
  .refine(
    (entries) => entries.length > 0 && entries.every((entry) => entry.startsWith('/')),
    'must be a comma-separated list of absolute directories',
  )
  .meta(settingKind('directory list'))

const originList = commaList
  .refine((entries) => entries.every(isOrigin), {
    error: 'must be a comma-separated list of addresses such as https://sites.example.org',
  })
  .meta(settingKind('address list'))

const addressList = commaList
  .refine(
    (entries) => entries.length > 0 && entries.every((entry) => isIP(entry) !== 0),
    'must be a comma-separated list of IP addresses',
  )
  .meta(settingKind('address list'))

const resolverList = commaList
  .refine(
    (entries) => entries.length <= 3 && entries.every(isResolver),
    'must be a comma-separated list of at most 3 IP addresses, each with or without a port, IPv6 in brackets',
  )
  .meta(settingKind('address list'))

/** Every setting by its variable, as `readConfig` reads it. */
export const settingsSchema = z.object({
  ...serviceSettings({ name: 'sites', port: 8104 }),
  ...databaseSettings,
  ...backupSettings,
  ...neighbourSettings,
  ...metricsSettings,
  ...securityLogSettings,
  ...openIdSettings,
  ...tokenSettings,
  PUBLIC_ORIGIN: originList.default([]),
  ...passkeySettings,
  CADDY_ADMIN: adminAddress.optional(),
  CADDY_HTTP_PORT: portNumber.optional(),
  CADDY_HTTPS_PORT: portNumber.optional(),
  CADDY_BIND: addressList.optional(),
  CADDY_LOG_FILE: absolutePath.optional(),
  CADDY_PATH: absolutePath.meta(settingKind('program')).optional(),
  STATIC_DIRS: directoryList.optional(),
  SOCKET_DIRS: directoryList.default([]),
  LOG_DIRS: directoryList.default(['/var/log']),
  SSLLABS_BASE_URL: webAddress.optional(),
  DNS_RESOLVERS: resolverList.default([]),
  OUTBOUND_ALLOW: outboundAllow,
  BUILD_COMMIT: z.string().max(100).meta(settingKind('text')).default('unknown'),
  BUILD_DATE: z.string().max(100).meta(settingKind('text')).default('unknown'),
})

/** The settings of one site manager, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(settingsSchema, environment)
  const dataDirectory = resolve(settings.DATA_DIR)
  const isOwn = settings.CADDY_ADMIN === undefined
  const { PUBLIC_URL: publicUrl, PUBLIC_ORIGIN, RP_ID: rpId } = settings
  return {
    ...serviceConfig(settings),
    ...databaseConfig(settings),
    ...backupConfig(settings),
    ...neighbourConfig(settings),
    ...metricsConfig(settings),
    ...securityLogConfig(settings),
    ...openIdConfig(settings),
    ...tokenConfig(settings),
    /** Origins of the service's pages, beside the address a browser uses. */
    origins: [...(publicUrl === undefined ? [] : [publicUrl]), ...PUBLIC_ORIGIN].map((text) => new URL(text).origin),
    relyingParty: readRelyingParty({ publicUrl, publicOrigins: PUBLIC_ORIGIN, rpId }),
    caddy: {
      /** The admin endpoint of a Caddy that runs already; undefined to run one as a child. */
      admin: settings.CADDY_ADMIN,
      httpPort: settings.CADDY_HTTP_PORT ?? (isOwn ? 8180 : 80),
      httpsPort: settings.CADDY_HTTPS_PORT ?? (isOwn ? 8543 : 443),
      /** Addresses it listens at; all of the machine when there is none. */
      bind: settings.CADDY_BIND ?? (isOwn ? ['127.0.0.1'] : []),
      /** Access log of a Caddy that runs already. */
      logFile: settings.CADDY_LOG_FILE,
      /** Undefined for the one in PATH. */
      path: settings.CADDY_PATH,
    },
    /** Directories that static sites may serve from. */
    staticBases: settings.STATIC_DIRS ?? ['/var/www', '/srv', `${dataDirectory}/www`],
    /** Directories with sockets that may be upstreams. */
    socketDirectories: settings.SOCKET_DIRS,
    /** Directories that further servers may write their access logs to. */
    logDirectories: settings.LOG_DIRS,
    /** Resolvers for certificates by DNS; those of the system when there is none. */
    dnsResolvers: settings.DNS_RESOLVERS,
    sslLabsUrl: settings.SSLLABS_BASE_URL ?? 'https://api.ssllabs.com/api/v4',
    outboundAllow: allowAddresses(settings.OUTBOUND_ALLOW, [settings.SSLLABS_BASE_URL]),
    build: { commit: settings.BUILD_COMMIT, date: settings.BUILD_DATE },
  }
}

/** Reads the settings and checks the program they name, so that a wrong one answers before the service is loaded. */
export function readCheckedConfig(environment: Environment): Config {
  const config = readConfig(environment)
  checkPrograms(config)
  if (config.openId !== undefined) readClientSecret(config.openId)
  return config
}

/** Checks the program that the settings name before anything is written. Throws an `OperatorError` that names the setting. */
function checkPrograms({ caddy }: Config): void {
  if (caddy.path !== undefined) checkProgram('CADDY_PATH', caddy.path)
}
