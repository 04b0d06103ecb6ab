import {
  openIdConfig,
  openIdSettings,
  passkeyConfig,
  passkeySettings,
  readClientSecret,
  securityLogConfig,
  securityLogSettings,
  tokenConfig,
  tokenSettings,
} from '@hearth/accounts'
import { networkList } from '@hearth/http'
import { metricsConfig, metricsSettings } from '@hearth/metrics'
import { outboundAllow } from '@hearth/outbound'
import {
  absolutePath,
  checkProgram,
  OperatorError,
  parseSettings,
  settingKind,
  webAddress,
  wholeNumber,
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
import { artifactsSetting, backupStorageSetting } from './artifacts/artifact-location.ts'
import { extraPlatformHosts } from './platforms/platform-hosts.ts'
import { stemBaseUrlSetting } from './stems/result-address.ts'
import { checkArtifacts, readStorageKeys } from './artifacts/open-artifacts.ts'

/** Addresses and CIDRs of proxies whose forwarding header is trusted. `*` is refused: it would trust every client. */
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
  ...serviceSettings({ name: 'media', port: 8103 }),
  FORWARDED_ALLOW_IPS: forwardedAllow,
  ...databaseSettings,
  ...backupSettings,
  ...neighbourSettings,
  ...metricsSettings,
  ...securityLogSettings,
  ...openIdSettings,
  ...tokenSettings,
  ...passkeySettings,
  ALLOW_OPEN: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  EXTRA_PLATFORM_HOSTS: extraPlatformHosts,
  OUTBOUND_ALLOW: outboundAllow,
  STEMSVC_BASE_URL: stemBaseUrlSetting,
  UPDATES_BASE_URL: webAddress.optional(),
  UPDATES_REPOSITORY: repository.optional(),
  YTDLP_PATH: programPath,
  FFMPEG_PATH: programPath,
  ARTIFACTS: artifactsSetting,
  BACKUP_S3: backupStorageSetting,
  QUEUE_SIZE: wholeNumber(1, 100_000).default(200),
  WORKERS: wholeNumber(0, 64).optional(),
  LEASE_SECONDS: wholeNumber(2, 3600).default(60),
})

/** The settings of one media service, checked. The README's table says what each is for. */
export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment; throws an `OperatorError` that names the wrong one. */
export function readConfig(environment: Environment) {
  const settings = parseSettings(settingsSchema, environment)
  const { TRUSTED_PROXIES, FORWARDED_ALLOW_IPS } = settings
  if (TRUSTED_PROXIES.length > 0 && FORWARDED_ALLOW_IPS.length > 0)
    throw new OperatorError('TRUSTED_PROXIES: is the same as FORWARDED_ALLOW_IPS; set one of them')
  const proxies = [...TRUSTED_PROXIES, ...FORWARDED_ALLOW_IPS]
  return {
    ...serviceConfig(settings),
    ...databaseConfig(settings),
    ...backupConfig(settings),
    ...neighbourConfig(settings),
    ...securityLogConfig(settings),
    ...openIdConfig(settings),
    ...tokenConfig(settings),
    ...passkeyConfig(settings),
    // Loopback is a proxy by default; only listed proxies are kept from scraping.
    ...metricsConfig({ ...settings, TRUSTED_PROXIES: proxies }),
    trustedProxies: proxies.length > 0 ? proxies : ['127.0.0.1', '::1'],
    mayBeOpen: settings.ALLOW_OPEN === 'true',
    extraHosts: settings.EXTRA_PLATFORM_HOSTS,
    outboundAllow: settings.OUTBOUND_ALLOW,
    stemServiceUrl: settings.STEMSVC_BASE_URL,
    updatesUrl: settings.UPDATES_BASE_URL,
    // GitHub is not queried for the application unless the operator names its repository.
    updatesRepository:
      settings.UPDATES_REPOSITORY ?? (settings.UPDATES_BASE_URL === undefined ? undefined : 'hearth/hearth'),
    ytDlpPath: settings.YTDLP_PATH,
    ffmpegPath: settings.FFMPEG_PATH,
    artifacts: settings.ARTIFACTS,
    backupStorage: settings.BACKUP_S3,
    queueSize: settings.QUEUE_SIZE,
    /** Number of jobs this process works on at a time; 0 for a web process without workers. */
    workers: settings.WORKERS,
    /** After so long without a sign of life a worker counts as lost. */
    leaseSeconds: settings.LEASE_SECONDS,
  }
}

/**
 * Reads the settings and checks the programs and directories they name, before the service is loaded and anything is written.
 * Throws an `OperatorError` that names the wrong setting.
 */
export function readCheckedConfig(environment: Environment): Config {
  const config = readConfig(environment)
  const { ytDlpPath, ffmpegPath, artifacts, backups, backupStorage } = config
  if (ytDlpPath !== undefined) checkProgram('YTDLP_PATH', ytDlpPath)
  if (ffmpegPath !== undefined) checkProgram('FFMPEG_PATH', ffmpegPath)
  checkArtifacts(artifacts)
  if (config.openId !== undefined) readClientSecret(config.openId)
  if (backupStorage !== undefined) readStorageKeys(environment, 'BACKUP_S3')
  if (backupStorage !== undefined && backups.directory === undefined)
    throw new OperatorError('BACKUP_S3: needs BACKUP_DIR, where backups are made and verified before they are copied')
  return config
}
