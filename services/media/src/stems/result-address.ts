import { OperatorError, settingKind } from '@hearth/runtime'
import { z } from 'zod'
import { StemServiceError } from './stem-service-error.ts'

/** Address of the service unless STEMSVC_BASE_URL says otherwise. */
export const defaultStemBaseUrl = 'https://www.lalal.ai'

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * The setting STEMSVC_BASE_URL: https, or http on this machine, because the activation key goes there with every call.
 * Gives the address without a slash at its end.
 */
export const stemBaseUrlSetting = z
  .string()
  .refine(isUsableBase, { error: 'must be an https address, or an http address on this machine' })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''))
  .meta(settingKind('web address'))
  .default(defaultStemBaseUrl)

function isUsableBase(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.test(hostname))
}

/** Hosts that results may be fetched from. */
export interface ResultHosts {
  /** As `stemBaseUrlSetting` gives it. Its own host, with its port and scheme, is always allowed. */
  readonly baseUrl: string
  /** Host names whose subdomains count too, lower case. */
  readonly suffixes: readonly string[]
}

/** The hosts of a base address and of a setting with further suffixes; `lalal.ai` is always among them. */
export function resultHosts(baseUrl: string, extraSuffixes: readonly string[] = []): ResultHosts {
  const suffixes = ['lalal.ai', ...extraSuffixes.map((suffix) => suffix.toLowerCase().replace(/^\.+/, ''))]
  const wrong = suffixes.find((suffix) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(suffix))
  if (wrong !== undefined) throw new OperatorError(`stem service: ${wrong} is not a host name with a dot`)
  if (!isUsableBase(baseUrl)) throw new OperatorError('STEMSVC_BASE_URL: must be https, or http on this machine')
  return { baseUrl, suffixes }
}

/**
 * The address to fetch a result from: https on a known host, default port; http becomes https. Only the base address's own
 * host stays as it is. Anything else throws `upstream`: the service, or who speaks in its name, must not send us anywhere.
 */
export function resultAddress(text: string, hosts: ResultHosts, from?: URL): URL {
  const address = parseAddress(text, from)
  if (address === undefined || address.username + address.password !== '') throw refused()
  if (address.origin === new URL(hosts.baseUrl).origin) return address
  if (address.protocol === 'http:') address.protocol = 'https:'
  const isKnown = hosts.suffixes.some(
    (suffix) => address.hostname === suffix || address.hostname.endsWith(`.${suffix}`),
  )
  if (address.protocol !== 'https:' || address.port !== '' || !isKnown) throw refused()
  return address
}

function parseAddress(text: string, from: URL | undefined): URL | undefined {
  try {
    return new URL(text, from)
  } catch {
    return undefined
  }
}

const refused = () =>
  new StemServiceError('upstream', { detail: 'the result has an address outside the service', isLasting: true })
