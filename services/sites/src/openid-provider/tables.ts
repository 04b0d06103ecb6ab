/** Tables of the OpenID Connect provider. Times are milliseconds since the epoch. */
export interface OpenIdProviderTables {
  openid_clients: OpenIdClientRow
  openid_keys: OpenIdKeyRow
  openid_artifacts: OpenIdArtifactRow
  openid_logins: OpenIdLoginRow
  openid_consents: OpenIdConsentRow
}

/** An application that signs people in through the portal. */
export interface OpenIdClientRow {
  /** The client id. */
  id: string
  name: string
  /** SHA-256 of the client secret; null for a public client. */
  secret_hash: string | null
  /** JSON; see `ClientSettings`. */
  settings: string
  created_at: number
  /** When somebody last signed in to it, and who. */
  last_used_at: number | null
  last_user_id: string | null
}

/** A key that signs ID tokens. */
export interface OpenIdKeyRow {
  kid: string
  /** Private key as JWK, sealed. */
  private_sealed: string
  created_at: number
  /** Null for the next key, which is published and does not sign yet. */
  signs_from: number | null
  /** Null while it signs, or will. */
  published_until: number | null
}

/** A code, token, grant or interaction of the provider. */
export interface OpenIdArtifactRow {
  /** Kind, as `oidc-provider` names it. */
  model: string
  /** SHA-256. */
  id_hash: string
  client_id: string | null
  /** SHA-256 of the id of the grant it belongs to. */
  grant_hash: string | null
  /** Session of the portal it belongs to. */
  session_id: string | null
  /** SHA-256 of the key of the browser in which a sign-in began. */
  browser_hash: string | null
  /** JSON, sealed. */
  payload_sealed: string
  created_at: number
  expires_at: number
  consumed_at: number | null
}

/** A sign-in to an application by a session of the portal. Once the session is over, the application is told. */
export interface OpenIdLoginRow {
  session_id: string
  client_id: string
  user_id: string
  /** Name of the sign-in towards the application. */
  sid: string
  /** Issuer that the application knows. */
  issuer: string
  created_at: number
  /** Null while the session lasts. */
  ended_at: number | null
  /** Tries to tell the application. */
  attempts: number
  next_at: number | null
}

/** A user's consent that an application gets to know claims. */
export interface OpenIdConsentRow {
  user_id: string
  client_id: string
  /** Separated by spaces. */
  scopes: string
  given_at: number
}

/**
 * Tables that are backed up, those that others refer to first. Artifacts and logins are not: they belong to sessions, and a
 * restore signs nobody in.
 */
export const openIdProviderTableNames = ['openid_clients', 'openid_keys', 'openid_consents'] as const
