import { resolve } from 'node:path'
import { secretKeyText } from '@hearth/credentials'
import { networkList } from '@hearth/http'
import { outboundAllow } from '@hearth/outbound'
import {
  absolutePath,
  commonSettings,
  filePath,
  OperatorError,
  parseSettings,
  portNumber,
  settingKind,
  webAddress,
  wholeNumber,
  type Environment,
} from '@hearth/runtime'
import { z } from 'zod'
import { artifactsSetting } from './artifacts/artifact-location.ts'
import { extraPlatformHosts } from './platforms/platform-hosts.ts'
import { stemBaseUrlSetting } from './stems/result-address.ts'

/** Addresses and CIDRs of proxies whose forwarding header is believed. `*` is refused: it would believe anybody. */
const forwardedAllow = z.preprocess((text, context) => {
  if (typeof text === 'string' && text.split(',').some((part) => part.trim() === '*'))
    context.addIssue('must not be *: list the addresses of your proxies')
  return text
}, networkList)

const programPath = absolutePath.meta(settingKind('program')).optional()

const repository = z
  .string()
  .regex(/^[\w-]+\/[\w.-]+$/, 'must be OWNER/NAME of a repository')
  .meta(settingKind('own form'))

/** Every setting by its variable, as `readConfig` reads it. */
export const settingsSchema = z.object({
  ...commonSettings,
  BIND_PORT: portNumber.default(8103),
  DATA_DIR: filePath.default('data/media'),
  TRUSTED_PROXIES: networkList,
  FORWARDED_ALLOW_IPS: forwardedAllow,
  SECRET_KEY: secretKeyText.optional(),
  SECRET_KEY_FILE: filePath.optional(),
  ALLOW_OPEN: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  EXTRA_PLATFORM_HOSTS: extraPlatformHosts,
  OUTBOUND_ALLOW: outboundAllow,
  STEMSVC_BASE_URL: stemBaseUrlSetting,
  UPDATES_BASE_URL: webAddress.optional(),
  UPDATES_REPOSITORY: repository.optional(),
  YTDLP_PATH: programPath,
  FFMPEG_PATH: programPath,
  ARTIFACTS: artifactsSetting,
  QUEUE_SIZE: wholeNumber(1, 100_000).default(200),
  WORKERS: wholeNumber(0, 64).optional(),
  LEASE_SECONDS: wholeNumber(2, 3600).default(60),
})

/** The settings of one media service, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(settingsSchema, environment)
  const dataDirectory = resolve(settings.DATA_DIR)
  const { TRUSTED_PROXIES, FORWARDED_ALLOW_IPS } = settings
  if (TRUSTED_PROXIES.length > 0 && FORWARDED_ALLOW_IPS.length > 0)
    throw new OperatorError('TRUSTED_PROXIES: is the same as FORWARDED_ALLOW_IPS; set one of them')
  const proxies = [...TRUSTED_PROXIES, ...FORWARDED_ALLOW_IPS]
  return {
    bindAddress: settings.BIND_ADDRESS,
    bindPort: settings.BIND_PORT,
    dataDirectory,
    databaseUrl: settings.DATABASE_URL,
    publicUrl: settings.PUBLIC_URL,
    trustedProxies: proxies.length > 0 ? proxies : ['127.0.0.1', '::1'],
    forwardedHeader: settings.FORWARDED_HEADER.toLowerCase(),
    logLevel: settings.LOG_LEVEL,
    secretKey: settings.SECRET_KEY,
    secretKeyFile: resolve(settings.SECRET_KEY_FILE ?? `${dataDirectory}/secret.key`),
    mayBeOpen: settings.ALLOW_OPEN === 'true',
    extraHosts: settings.EXTRA_PLATFORM_HOSTS,
    outboundAllow: settings.OUTBOUND_ALLOW,
    stemServiceUrl: settings.STEMSVC_BASE_URL,
    updatesUrl: settings.UPDATES_BASE_URL,
    // At GitHub nobody is asked for the application unless the operator says where it is published.
    updatesRepository:
      settings.UPDATES_REPOSITORY ?? (settings.UPDATES_BASE_URL === undefined ? undefined : 'hearth/hearth'),
    ytDlpPath: settings.YTDLP_PATH,
    ffmpegPath: settings.FFMPEG_PATH,
    artifacts: settings.ARTIFACTS,
    queueSize: settings.QUEUE_SIZE,
    /** How many jobs this process works on at a time; 0 for a web process that leaves them to others. */
    workers: settings.WORKERS,
    /** After so long without a sign of life a worker counts as lost. */
    leaseSeconds: settings.LEASE_SECONDS,
  }
}
