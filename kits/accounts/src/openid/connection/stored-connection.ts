import type { Sealer } from '@hearth/credentials'
import { z } from 'zod'
import type { Actor } from '../../security-log/security-event.ts'
import type { OpenIdConfig } from '../settings.ts'
import type { PortalGroups, Registration } from './portal-client.ts'
import type { OpenIdConnectionRow } from './tables.ts'

const Secrets = z.object({ client_secret: z.string(), token: z.string() })
const Groups = z.object({ allowed: z.array(z.string()), admins: z.array(z.string()) })

/** A sealed text moved to the connection of another client does not open. */
const placeOf = (clientId: string) => `openid_connection.secrets:${clientId}`

/** A connection that was just made. */
export interface NewConnection {
  readonly issuer: string
  readonly registration: Registration
  readonly by: Actor
  readonly now: number
}

/** Returns a new connection as it is stored. */
export function rowOfConnection({ issuer, registration, by, now }: NewConnection, sealer: Sealer): OpenIdConnectionRow {
  const { clientId, clientSecret, token, uri, groups } = registration
  return {
    id: 'portal',
    issuer,
    client_id: clientId,
    secrets: sealer.seal(JSON.stringify({ client_secret: clientSecret, token }), placeOf(clientId)),
    registration_uri: uri,
    groups: JSON.stringify(groups),
    connected_by: by.username,
    connected_at: now,
  }
}

/** Returns where the registration of a connection is read and removed, and the token for that. */
export function registrationOf(row: OpenIdConnectionRow, sealer: Sealer): Pick<Registration, 'uri' | 'token'> {
  return { uri: row.registration_uri, token: secretsOf(row, sealer).token }
}

/** Returns the groups of a connection, as the portal said them last. */
export const groupsOfConnection = ({ groups }: Pick<OpenIdConnectionRow, 'groups'>): PortalGroups =>
  Groups.parse(JSON.parse(groups))

/** Returns the provider that a connection is. */
export function configOfConnection(
  row: OpenIdConnectionRow,
  { sealer, publicUrl }: { readonly sealer: Sealer; readonly publicUrl: string },
): OpenIdConfig {
  const { allowed, admins } = groupsOfConnection(row)
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: secretsOf(row, sealer).client_secret,
    clientSecretFile: undefined,
    name: 'Hearth',
    allowedGroups: allowed.includes('*') ? 'everyone' : allowed,
    adminGroups: admins,
    groupsClaim: 'groups',
    scopes: undefined,
    publicUrl: publicUrl.replace(/\/+$/, ''),
  }
}

function secretsOf({ secrets, client_id: clientId }: OpenIdConnectionRow, sealer: Sealer) {
  return Secrets.parse(JSON.parse(sealer.open(secrets, placeOf(clientId))))
}
