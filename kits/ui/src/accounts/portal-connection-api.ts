import { createAccountSend, type SignInMethodsPlace } from './sign-in-methods-api.ts'

/** The connection of a service to a Hearth portal, as the API describes it. */
export interface PortalConnection {
  state: 'none' | 'environment' | 'connected' | 'removed' | 'moved' | 'unreachable'
  obstacle: string | null
  public_url: string | null
  issuer: string | null
  allowed_groups: string[]
  admin_groups: string[]
  connected_by: string | null
  connected_at: string | null
}

/** Calls of a service for its connection to a Hearth portal. Each throws an `ApiError`. */
export interface PortalConnectionApi {
  read(): Promise<PortalConnection>
  /** Returns the address at the portal where the connection goes on. */
  start(values: { issuer: string; current_password: string }): Promise<{ url: string }>
  /** Finishes the connection after the portal's answer. */
  finish(): Promise<PortalConnection>
  disconnect(): Promise<{ is_removed_there: boolean }>
}

/** Creates the calls of a service that mounts the routes of the connection under `prefix` + `/openid/connection`. */
export function createPortalConnectionApi(place: SignInMethodsPlace): PortalConnectionApi {
  const send = createAccountSend(place)
  const path = '/openid/connection'
  return {
    read: () => send('GET', path),
    start: (values) => send('POST', `${path}/start`, values),
    finish: () => send('POST', path),
    disconnect: () => send('DELETE', path),
  }
}
