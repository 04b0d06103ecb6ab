import { noteSessionEnd } from '../api-client.ts'
import { readApiError, unreachable } from '../api-error.ts'
import type { SessionStore } from '../session-store.ts'
import type { PasskeySignInApi } from './passkey-ceremony.ts'
import type { PasskeyAdministration, PasskeyRow } from './passkey-dialogs.tsx'

/** Values of a sign-in by recovery code. */
export interface RecoveryValues {
  username: string
  recovery_code: string
  new_password?: string
}

/** Calls of a service for passkeys and recovery codes. Each throws an `ApiError`. */
export interface SignInMethodsApi {
  readonly passkeySignIn: PasskeySignInApi
  recover(values: RecoveryValues): Promise<unknown>
  listPasskeys(): Promise<PasskeyRow[]>
  readonly passkeys: PasskeyAdministration
  countCodes(): Promise<number>
  createCodes(password: string): Promise<{ codes: string[] }>
}

/** Names of the cached answers. */
export const methodKeys = { passkeys: ['passkeys'], codes: ['recovery-codes'] } as const

/** The place of the API, and what its writes need. */
export interface SignInMethodsPlace {
  readonly session: SessionStore
  /** What precedes `/passkeys`, such as `/api`. */
  readonly prefix: string
  /** Replaces fetch for services that renew their token. */
  readonly send?: (request: Request) => Promise<Response>
}

/** Sends a request to the API of accounts. */
export type SendToAccounts = <Content>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<Content>

/** Creates the calls of a service that mounts the routes of sign-in methods, and whose passwords prove changes of them. */
export function createSignInMethodsApi(place: SignInMethodsPlace): SignInMethodsApi {
  const send = createAccountSend(place)
  return {
    passkeySignIn: {
      start: async () => {
        const answer = await send<{ options: PublicKeyCredentialRequestOptionsJSON }>(
          'POST',
          '/passkeys/login/start',
          {},
        )
        return answer.options
      },
      finish: (credential) => send('POST', '/passkeys/login/finish', { credential }),
    },
    recover: (values) => send('POST', '/session/recovery', values),
    listPasskeys: async () => (await send<{ passkeys: PasskeyRow[] }>('GET', '/passkeys')).passkeys,
    passkeys: {
      needsPassword: true,
      startRegistration: async (password) => {
        const body = { current_password: password }
        const answer = await send<{ options: PublicKeyCredentialCreationOptionsJSON }>(
          'POST',
          '/passkeys/register/start',
          body,
        )
        return answer.options
      },
      finishRegistration: (credential, deviceName) =>
        send('POST', '/passkeys/register/finish', { credential, device_name: deviceName }),
      rename: ({ id }, deviceName) => send('PATCH', `/passkeys/${id}`, { device_name: deviceName }),
      remove: ({ id }, password) => send('POST', `/passkeys/${id}/remove`, { current_password: password }),
      renew: [methodKeys.passkeys, ['sessions']],
    },
    countCodes: async () => (await send<{ left: number }>('GET', '/recovery-codes')).left,
    createCodes: (password) => send('POST', '/recovery-codes', { current_password: password }),
  }
}

/** Creates the function that sends JSON, and returns the content of the answer; some services put it into an envelope. */
export function createAccountSend({
  session,
  prefix,
  send = (request) => fetch(request),
}: SignInMethodsPlace): SendToAccounts {
  return async <Content>(method: string, path: string, body?: object) => {
    const token = session.csrfToken()
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' })
    if (token !== undefined && method !== 'GET') headers.set('x-csrf-token', token)
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await send(new Request(`${prefix}${path}`, init)).catch(() => {
      throw unreachable()
    })
    if (!response.ok) {
      const error = await readApiError(response)
      // Without a session the refusal is that of a sign-in.
      if (token !== undefined) noteSessionEnd(error, session)
      throw error
    }
    const answer = (await response.json()) as Content & { data?: Content }
    return answer.data ?? answer
  }
}
