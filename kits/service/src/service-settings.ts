import { resolve } from 'node:path'
import { secretKeyText } from '@hearth/credentials'
import { networkList } from '@hearth/http'
import { filePath, logLevel, portNumber, settingKind, webAddress } from '@hearth/runtime'
import { z } from 'zod'

/** Returns the settings that every service has, for its own schema to extend. */
export function serviceSettings(service: { readonly name: string; readonly port: number }) {
  return {
    BIND_ADDRESS: z
      .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
      .meta(settingKind('IP address'))
      .default('127.0.0.1'),
    BIND_PORT: portNumber.default(service.port),
    DATA_DIR: filePath.default(`data/${service.name}`),
    PUBLIC_URL: webAddress.optional(),
    TRUSTED_PROXIES: networkList,
    FORWARDED_HEADER: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
      .meta(settingKind('header name'))
      .default('X-Forwarded-For'),
    LOG_LEVEL: logLevel,
    RELEASES_URL: webAddress.optional(),
  }
}

/** Settings of a service whose database is SQLite or PostgreSQL, with a key for its sealed columns. */
export const databaseSettings = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .refine((text) => URL.canParse(text.replaceAll(' ', '%20')), 'must be an address such as postgres://USER@HOST/NAME')
    .meta(settingKind('own form'))
    .optional(),
  SECRET_KEY: secretKeyText.optional(),
  SECRET_KEY_FILE: filePath.optional(),
}

type ServiceSettings = z.infer<z.ZodObject<ReturnType<typeof serviceSettings>>>
type DatabaseSettings = z.infer<z.ZodObject<typeof databaseSettings>>

/** The part of a service's configuration that its `serviceSettings` say. */
export function serviceConfig(settings: ServiceSettings) {
  return {
    bindAddress: settings.BIND_ADDRESS,
    bindPort: settings.BIND_PORT,
    dataDirectory: resolve(settings.DATA_DIR),
    publicUrl: settings.PUBLIC_URL,
    trustedProxies: settings.TRUSTED_PROXIES,
    forwardedHeader: settings.FORWARDED_HEADER.toLowerCase(),
    logLevel: settings.LOG_LEVEL,
    /** Address that returns the newest release as JSON; without it nothing is asked. */
    releasesUrl: settings.RELEASES_URL,
  }
}

/** The part of a service's configuration that its `databaseSettings` say. */
export function databaseConfig(settings: DatabaseSettings & Pick<ServiceSettings, 'DATA_DIR'>) {
  return {
    databaseUrl: settings.DATABASE_URL,
    secretKey: settings.SECRET_KEY,
    secretKeyFile: resolve(settings.SECRET_KEY_FILE ?? `${resolve(settings.DATA_DIR)}/secret.key`),
  }
}
