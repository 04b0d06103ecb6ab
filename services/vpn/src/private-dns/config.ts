import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { filePath, OperatorError, settingKind, webAddress } from '@hearth/runtime'
import { z } from 'zod'
import { listenSetting } from '../dns/environment-settings.ts'
import type { Listener } from '../dns/resolver-files.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** A device's secret and a dot stand before it, and a host name has 253 characters at most. */
const maxName = 253 - 33

/** The settings of DNS for devices outside the tunnels; all of it is off without an address to listen at. */
export const privateDnsSettings = {
  DNS_TLS_NAME: z
    .string()
    .transform((text) => text.trim().toLowerCase().replace(/\.$/, ''))
    .refine(
      (text) =>
        text.length <= maxName &&
        isIP(text) === 0 &&
        text.includes('.') &&
        text.split('.').every((part) => label.test(part)),
      'must be a host name such as dns.example.org',
    )
    .meta(settingKind('host'))
    .optional(),
  DNS_TLS_LISTEN: listenSetting,
  DNS_HTTPS_LISTEN: listenSetting,
  DNS_HTTP_LISTEN: listenSetting,
  DNS_TLS_CERTIFICATE: filePath.optional(),
  DNS_TLS_KEY: filePath.optional(),
  DNS_HTTPS_URL: webAddress
    .refine((text) => text.startsWith('https:'), 'must be an https address')
    .transform((text) => text.replace(/[?#].*$/, '').replace(/\/+$/, ''))
    .optional(),
}

/** Where and with what certificate names are answered outside the tunnels; undefined when they are not. */
export interface PrivateDnsConfig {
  readonly name: string
  readonly tls: readonly Listener[]
  readonly https: readonly Listener[]
  readonly http: readonly Listener[]
  readonly certificate: string
  readonly key: string
  /** Address of DNS over HTTPS up to `/dns-query`; null when that is off. */
  readonly httpsUrl: string | null
}

type Settings = z.infer<z.ZodObject<typeof privateDnsSettings>>

/** The settings together; throws an `OperatorError` that names the one that is missing. */
export function privateDnsConfig(settings: Settings): PrivateDnsConfig | undefined {
  const { DNS_TLS_NAME: name, DNS_TLS_CERTIFICATE: certificate, DNS_TLS_KEY: key } = settings
  const { DNS_TLS_LISTEN: tls, DNS_HTTPS_LISTEN: https, DNS_HTTP_LISTEN: http } = settings
  if (tls.length + https.length + http.length === 0) return undefined
  const needs = (setting: string) =>
    new OperatorError(`${setting}: must be set to answer names over TLS or HTTPS (DNS_TLS_LISTEN, DNS_HTTPS_LISTEN)`)
  if (name === undefined) throw needs('DNS_TLS_NAME')
  if (tls.length + https.length > 0 && certificate === undefined) throw needs('DNS_TLS_CERTIFICATE')
  if (tls.length + https.length > 0 && key === undefined) throw needs('DNS_TLS_KEY')
  return {
    name,
    tls,
    https,
    http,
    certificate: certificate === undefined ? '' : resolve(certificate),
    key: key === undefined ? '' : resolve(key),
    httpsUrl: httpsUrlOf(settings, name),
  }
}

function httpsUrlOf({ DNS_HTTPS_URL: url, DNS_HTTPS_LISTEN: https, DNS_HTTP_LISTEN: http }: Settings, name: string) {
  if (https.length + http.length === 0) return null
  if (url !== undefined) return url
  const port = https[0]?.port ?? 443
  return `https://${name}${port === 443 ? '' : `:${port}`}`
}
