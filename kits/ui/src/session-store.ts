import { type ApiError, readApiError, unreachable } from './api-error.ts'

/** Who is signed in, as far as the shell needs to know. */
export interface SessionUser {
  id: string
  username: string
  role: string
}

/** The session as the server tells it. */
export interface ServerSession {
  user: SessionUser
  csrf_token: string
  password_change_required: boolean
}

/** Where the page stands. `ended` says that a session was there and is gone. */
export type SessionState =
  | { step: 'loading' }
  | { step: 'unreachable'; error: ApiError }
  | { step: 'signed-out'; ended: boolean }
  | { step: 'password-change'; session: ServerSession }
  | { step: 'signed-in'; session: ServerSession }

/** The one holder of the session: pages subscribe, the API client asks it for the token. */
export interface SessionStore {
  state(): SessionState
  subscribe(listener: () => void): () => void
  /** Asks the server who is signed in. */
  load(): Promise<void>
  /** Asks again after trouble; only a clear answer changes anything. */
  check(): Promise<void>
  signIn(username: string, password: string): Promise<void>
  changePassword(current: string, next: string): Promise<void>
  signOut(): Promise<void>
  /** The server no longer knows this session. */
  ended(): void
  /** The server wants a new password before anything else. */
  passwordChangeRequired(): void
  csrfToken(): string | undefined
}

/** Keeps the session of one page. `path` is the session resource; the password is changed at `path` + `/password`. */
export function createSessionStore(path = '/api/session'): SessionStore {
  const listeners = new Set<() => void>()
  let state: SessionState = { step: 'loading' }
  const set = (next: SessionState) => {
    state = next
    for (const listener of listeners) listener()
  }
  const session = () => ('session' in state ? state.session : undefined)
  const send = (to: string, init: RequestInit) => request(to, { token: session()?.csrf_token, init })
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: async () => set(await readSession(path)),
    check: async () => {
      const next = await readSession(path)
      if (next.step === 'signed-out') set({ step: 'signed-out', ended: true })
    },
    signIn: async (username, password) => set(signedIn(await send(path, post({ username, password })))),
    changePassword: async (current, next) =>
      set(signedIn(await send(`${path}/password`, post({ current_password: current, new_password: next })))),
    signOut: async () => {
      await send(path, { method: 'DELETE' })
      set({ step: 'signed-out', ended: false })
    },
    ended: () => set({ step: 'signed-out', ended: 'session' in state }),
    passwordChangeRequired: () => {
      const known = session()
      if (known !== undefined && state.step !== 'password-change') set({ step: 'password-change', session: known })
    },
    csrfToken: () => session()?.csrf_token,
  }
}

async function readSession(path: string): Promise<SessionState> {
  try {
    return signedIn(await request(path, { token: undefined, init: {} }))
  } catch (thrown) {
    const error = thrown as ApiError
    return error.status === 401 ? { step: 'signed-out', ended: false } : { step: 'unreachable', error }
  }
}

function signedIn(answer: unknown): SessionState {
  const { data: session = answer as ServerSession } = answer as { data?: ServerSession }
  return { step: session.password_change_required ? 'password-change' : 'signed-in', session }
}

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function request(
  path: string,
  { token, init }: { token: string | undefined; init: RequestInit },
): Promise<unknown> {
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('x-csrf-token', token)
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await readApiError(response)
  return response.json()
}
