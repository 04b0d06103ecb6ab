import { ApiError, readApiError, type ServerSession, type SessionApi, unreachable } from '@hearth/ui'
import type { Schemas, Session } from '../api.ts'
import { createSend } from './send.ts'
import type { Tokens } from './tokens.ts'

/** The ways into this service. Each call throws an `ApiError`. */
export interface SitesSession extends SessionApi {
  /** Returns true when the last `read` found no administrator. */
  isSetUpNeeded(): boolean
  /** Makes the first administrator, who is signed in then. */
  setUp(input: Schemas['SetUp']): Promise<void>
  /** Sends a step of a sign-in, whose refusal ends no session; the answer's body. */
  post<Answer>(path: string, body: object): Promise<Answer>
}

/** Sessions with a token from `GET /api/v1/csrf`, which there is before anybody signed in. */
export function createSitesSession(tokens: Tokens): SitesSession {
  const call = createCall(tokens)
  let isSetUpNeeded = false
  return {
    async read(): Promise<ServerSession> {
      try {
        return await call<Session>('GET', '/api/session')
      } catch (error) {
        isSetUpNeeded = error instanceof ApiError && error.kind === 'setup_required'
        // Both are the same to the frame: nobody is signed in.
        throw isSetUpNeeded ? new ApiError('Set the service up first', { status: 401 }) : error
      }
    },
    // A recovery code stands in the password's place.
    signIn: ({ password, ...form }) =>
      call<Session>('POST', '/api/session', password === '' ? form : { ...form, password }),
    async signOut() {
      try {
        await call('DELETE', '/api/session')
      } catch (error) {
        // It had ended already.
        if (!(error instanceof ApiError) || error.status !== 401) throw error
      }
      tokens.put(undefined)
    },
    changePassword: (current, next) =>
      call<Session>('POST', '/api/session/password', {
        ...(current === '' ? {} : { current_password: current }),
        new_password: next,
      }),
    isSetUpNeeded: () => isSetUpNeeded,
    async setUp(input) {
      await call<Session>('POST', '/api/setup', input)
      isSetUpNeeded = false
    },
    post: (path, body) => call('POST', path, body),
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
type Call = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

function createCall(tokens: Tokens): Call {
  const send = createSend({ tokens })
  return async <Answer>(method: string, path: string, body?: object) => {
    const init: RequestInit = { method }
    if (body !== undefined) {
      init.body = JSON.stringify(body)
      init.headers = { 'content-type': 'application/json' }
    }
    const response = await send(new Request(path, init)).catch((error: unknown) => {
      throw error instanceof ApiError ? error : unreachable()
    })
    if (!response.ok) throw await readApiError(response)
    const answer = (await response.json()) as Answer & { csrf_token?: string }
    // Whoever has proved who they are has another cookie from here on.
    if (typeof answer.csrf_token === 'string') tokens.put(answer.csrf_token)
    return answer
  }
}
