import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { networkList } from '@hearth/http'
import { outboundAllow } from '@hearth/outbound'
import { commaList, commonSettings, parseSettings, portNumber, type Environment } from '@hearth/runtime'
import { z } from 'zod'
import { parseAdminAddress } from './nodes/admin-address.ts'
import { readRelyingParty } from './passkeys/relying-party.ts'

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Refuses what is neither the address of an admin endpoint nor the path of its socket, with the reason. */
const adminAddress = z.string().superRefine((text, context) => {
  try {
    parseAdminAddress(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

const directoryList = commaList.refine(
  (entries) => entries.every((entry) => entry.startsWith('/')),
  'must be a comma-separated list of absolute directories',
)

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

const Settings = z.object({
  ...commonSettings,
  BIND_PORT: portNumber.default(8104),
  DATA_DIR: z.string().default('data/sites'),
  TRUSTED_PROXIES: networkList,
  SECRET_KEY: z.string().optional(),
  SECRET_KEY_FILE: z.string().optional(),
  PUBLIC_ORIGIN: commaList.refine((entries) => entries.every(isOrigin), {
    error: 'must be a comma-separated list of addresses such as https://sites.example.org',
  }),
  RP_ID: z.string().regex(hostName, 'must be a host name').optional(),
  CADDY_ADMIN: adminAddress.optional(),
  CADDY_HTTP_PORT: portNumber.optional(),
  CADDY_HTTPS_PORT: portNumber.optional(),
  CADDY_BIND: commaList
    .refine((entries) => entries.every((entry) => isIP(entry) !== 0), 'must be a comma-separated list of IP addresses')
    .optional(),
  CADDY_LOG_FILE: z.string().regex(/^\//, 'must be an absolute path').optional(),
  CADDY_PATH: z.string().regex(/^\//, 'must be an absolute path').optional(),
  STATIC_DIRS: directoryList,
  SOCKET_DIRS: directoryList,
  LOG_DIRS: directoryList,
  SSLLABS_BASE_URL: webAddress.default('https://api.ssllabs.com/api/v4'),
  OUTBOUND_ALLOW: outboundAllow,
  BUILD_COMMIT: z.string().max(100).default('unknown'),
  BUILD_DATE: z.string().max(100).default('unknown'),
})

/** The settings of one site manager, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(Settings, environment)
  const dataDirectory = resolve(settings.DATA_DIR)
  const isOwn = settings.CADDY_ADMIN === undefined
  const { PUBLIC_URL: publicUrl, PUBLIC_ORIGIN, RP_ID: rpId } = settings
  return {
    bindAddress: settings.BIND_ADDRESS,
    bindPort: settings.BIND_PORT,
    dataDirectory,
    databaseUrl: settings.DATABASE_URL,
    publicUrl,
    /** Where pages of ours may come from, beside the address a browser calls the service by. */
    origins: [...(publicUrl === undefined ? [] : [publicUrl]), ...PUBLIC_ORIGIN].map((text) => new URL(text).origin),
    relyingParty: readRelyingParty({ publicUrl, publicOrigins: PUBLIC_ORIGIN, rpId }),
    trustedProxies: settings.TRUSTED_PROXIES,
    forwardedHeader: settings.FORWARDED_HEADER.toLowerCase(),
    logLevel: settings.LOG_LEVEL,
    secretKey: settings.SECRET_KEY,
    secretKeyFile: resolve(settings.SECRET_KEY_FILE ?? `${dataDirectory}/secret.key`),
    caddy: {
      /** The admin endpoint of a Caddy that runs already; undefined to run one as a child. */
      admin: settings.CADDY_ADMIN,
      httpPort: settings.CADDY_HTTP_PORT ?? (isOwn ? 8180 : 80),
      httpsPort: settings.CADDY_HTTPS_PORT ?? (isOwn ? 8543 : 443),
      /** Addresses it listens at; all of the machine when there is none. */
      bind: settings.CADDY_BIND ?? (isOwn ? ['127.0.0.1'] : []),
      /** Where a Caddy that runs already is to write its access log. */
      logFile: settings.CADDY_LOG_FILE,
      /** Undefined for the one in PATH. */
      path: settings.CADDY_PATH,
    },
    /** Directories that static sites may serve from. */
    staticBases: settings.STATIC_DIRS.length > 0 ? settings.STATIC_DIRS : ['/var/www', '/srv', `${dataDirectory}/www`],
    /** Directories with sockets that may be upstreams. */
    socketDirectories: settings.SOCKET_DIRS,
    /** Directories that further servers may write their access logs to. */
    logDirectories: settings.LOG_DIRS.length > 0 ? settings.LOG_DIRS : ['/var/log'],
    sslLabsUrl: settings.SSLLABS_BASE_URL,
    outboundAllow: settings.OUTBOUND_ALLOW,
    build: { commit: settings.BUILD_COMMIT, date: settings.BUILD_DATE },
  }
}
