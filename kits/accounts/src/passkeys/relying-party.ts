import { isIP } from 'node:net'
import { OperatorError, type Log } from '@hearth/runtime'
import type { AnyQuery } from '../any-query.ts'
import { countForeignPasskeys } from './store.ts'

/** The relying party: its host name, and the origins of pages that may use its passkeys. */
export interface RelyingParty {
  readonly id: string
  /** The origins a ceremony may come from. `port` is that of this service, which counts only on this machine. */
  origins(port: number): readonly string[]
}

/** The settings a relying party is made of; see `readRelyingParty`. */
export interface RelyingPartySettings {
  readonly publicUrl: string | undefined
  readonly publicOrigins: readonly string[]
  readonly rpId: string | undefined
}

interface NamedOrigin {
  readonly setting: 'PUBLIC_URL' | 'PUBLIC_ORIGIN'
  readonly url: URL
}

/**
 * Determines the relying party from the settings only, never from a request; `localhost` without settings. An IP address is no
 * host name, so origins that are one take no part. Throws an `OperatorError` for origins browsers offer no passkeys at, and for
 * a name the origins do not belong to.
 */
export function readRelyingParty({ publicUrl, publicOrigins, rpId }: RelyingPartySettings): RelyingParty {
  const all: NamedOrigin[] = [
    ...(publicUrl === undefined ? [] : [{ setting: 'PUBLIC_URL' as const, url: new URL(publicUrl) }]),
    ...publicOrigins.map((origin) => ({ setting: 'PUBLIC_ORIGIN' as const, url: new URL(origin) })),
  ]
  const named = all.filter(({ url }) => !isAddress(url.hostname))
  for (const origin of named) checkSecure(origin)
  const id = (rpId ?? named[0]?.url.hostname ?? 'localhost').toLowerCase()
  checkId(id, rpId, named)
  const origins = named.map(({ url }) => url.origin)
  return { id, origins: (port) => (id === 'localhost' ? [...origins, `http://localhost:${port}`] : origins) }
}

function checkSecure({ setting, url }: NamedOrigin): void {
  if (url.protocol === 'https:' || isLocal(url.hostname)) return
  throw new OperatorError(
    `${setting}: must be https: browsers send passwords in the clear, and know no passkeys, at http`,
  )
}

function checkId(id: string, rpId: string | undefined, named: readonly NamedOrigin[]): void {
  if (isAddress(id)) throw new OperatorError('RP_ID: must be a host name; passkeys cannot belong to an IP address')
  const foreign = named.find(({ url }) => url.hostname !== id && !url.hostname.endsWith(`.${id}`))
  if (foreign !== undefined && rpId !== undefined)
    throw new OperatorError(`RP_ID: ${foreign.url.hostname} in ${foreign.setting} is neither ${id} nor below it`)
  if (foreign !== undefined)
    throw new OperatorError(
      `RP_ID: is needed, a name that ${id} and ${foreign.url.hostname} both end with, because PUBLIC_URL and PUBLIC_ORIGIN differ in their host`,
    )
  if (named.length === 0 && id !== 'localhost')
    throw new OperatorError(`PUBLIC_URL: is needed with RP_ID: the https address browsers see, at ${id} or below it`)
}

/**
 * Warns of passkeys of another relying party, which browsers no longer offer.
 *
 * @param ids the relying party of the service, and those of other pages with passkeys
 */
export async function warnOfForeignPasskeys(query: AnyQuery, ids: string | readonly string[], log: Log): Promise<void> {
  const [id = '', ...others] = [ids].flat()
  for (const { rp_id, count } of (await countForeignPasskeys(query, id)).filter((one) => !others.includes(one.rp_id)))
    log.warn(`passkeys belong to ${id} now: ${count} made for ${rp_id} work only there; see RP_ID and PUBLIC_URL`)
}

/** True when a host, as a URL has it, is an IP address. */
export function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0
}

/** True for a host name that is this machine, where browsers take http for secure. */
export const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')
