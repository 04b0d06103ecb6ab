import { settingKind } from '@hearth/runtime'
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

/**
 * Returns the address to fetch a result from: https on `lalal.ai` or a subdomain, default port; http becomes https. An address
 * on the host of the base address stays as it is. Anything else throws `upstream`: the service, or whoever speaks in its name,
 * must not send us anywhere.
 */
export function resultAddress(text: string, baseUrl: string, from?: URL): URL {
  const address = URL.parse(text, from)
  if (address === null || address.username + address.password !== '') throw refused()
  if (address.origin === new URL(baseUrl).origin) return address
  if (address.protocol === 'http:') address.protocol = 'https:'
  const isKnown = /(?:^|\.)lalal\.ai$/.test(address.hostname)
  if (address.protocol !== 'https:' || address.port !== '' || !isKnown) throw refused()
  return address
}

const refused = () =>
  new StemServiceError('upstream', { detail: 'the result has an address outside the service', isLasting: true })
