import { settingKind } from '@hearth/runtime'
import { z } from 'zod'
import { isLocal, readRelyingParty, type RelyingParty } from './relying-party.ts'

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** The setting of the host name that passkeys belong to, for the schema of a service's settings. */
export const passkeySettings = {
  RP_ID: z.string().regex(hostName, 'must be a host name').meta(settingKind('host')).optional(),
}

/**
 * Returns the part of a service's configuration that its `passkeySettings` say. A `PUBLIC_URL` without https takes no part:
 * browsers know no passkeys there, so they work at `localhost` alone.
 */
export function passkeyConfig(settings: { PUBLIC_URL?: string | undefined; RP_ID?: string | undefined }): {
  relyingParty: RelyingParty
} {
  const { PUBLIC_URL: publicUrl, RP_ID: rpId } = settings
  return {
    relyingParty: readRelyingParty({ publicUrl: isSecure(publicUrl) ? publicUrl : undefined, publicOrigins: [], rpId }),
  }
}

function isSecure(url: string | undefined): boolean {
  if (url === undefined) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLocal(hostname)
}
