import { ApiError, readApiError, type ServerSession, type SignInForm, unreachable } from '@hearth/ui'
import type { Schemas, Session } from '../api.ts'
import { createSend } from './send.ts'
import type { Tokens } from './tokens.ts'

/**
 * Creates the calls that sign in and out. Their token comes from `GET /api/v1/csrf`, which there is before anybody signed in.
 * Each call throws an `ApiError`.
 */
export function createSitesSession(tokens: Tokens) {
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
    signIn: ({ password, ...form }: SignInForm) =>
      call<Session>('POST', '/api/session', password === '' ? form : { ...form, password }),
    async signOut(): Promise<void> {
      try {
        await call('DELETE', '/api/session')
      } catch (error) {
        // It had ended already.
        if (!(error instanceof ApiError) || error.status !== 401) throw error
      }
      tokens.put(undefined)
    },
    changePassword: (current: string, next: string) =>
      call<Session>('POST', '/api/session/password', {
        ...(current === '' ? {} : { current_password: current }),
        new_password: next,
      }),
    /** Returns true when the last `read` found no administrator. */
    isSetUpNeeded: () => isSetUpNeeded,
    /** Makes the first administrator, who is signed in then. */
    async setUp(input: Schemas['SetUp']): Promise<void> {
      await call<Session>('POST', '/api/setup', input)
      isSetUpNeeded = false
    },
    /** Sends a step of a sign-in, whose refusal ends no session; returns the answer's body. */
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
    post: <Answer>(path: string, body: object) => call<Answer>('POST', path, body),
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
