import { createContext, use, useSyncExternalStore } from 'react'
import { type ApiError, readApiError, unreachable } from './api-error.ts'

/** The signed-in user, as far as the shell needs it. */
export interface SessionUser {
  id: string
  username: string
  role: string
}

/** The session as the server describes it. */
export interface ServerSession {
  user: SessionUser
  csrf_token: string
  password_change_required: boolean
  /** Nobody has to sign in: there is no account to show and nothing to sign out of. */
  is_open?: boolean
}

/** Content of the sign-in form: name, password, and the fields that a service adds. */
export type SignInForm = { username: string; password: string } & Record<string, string>

/** The session endpoints of a service. Each call throws an `ApiError`; `read` with status 401 when nobody is signed in. */
export interface SessionApi {
  read(): Promise<ServerSession>
  signIn(form: SignInForm): Promise<ServerSession>
  signOut(): Promise<void>
  /** Left out by services that never ask for a new password. */
  changePassword?(current: string, next: string): Promise<ServerSession>
}

/** State of the page's session. `ended` says that a session was there and is gone. */
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
  /** Reads the session from the server. */
  load(): Promise<void>
  /** Reads it again after a failure, or when the session may have changed; only a clear answer changes anything. */
  check(): Promise<void>
  signIn(form: SignInForm): Promise<void>
  changePassword(current: string, next: string): Promise<void>
  signOut(): Promise<void>
  /** The server no longer knows this session. */
  ended(): void
  /** The server wants a new password before anything else. */
  passwordChangeRequired(): void
  csrfToken(): string | undefined
}

/**
 * Keeps the session of one page. A path is the session resource, read, made and deleted there, its password changed at
 * `path` + `/password`; a service that does it otherwise brings its way.
 */
export function createSessionStore(by: string | SessionApi = '/api/session'): SessionStore {
  const listeners = new Set<() => void>()
  let state: SessionState = { step: 'loading' }
  const set = (next: SessionState) => {
    state = next
    for (const listener of listeners) listener()
  }
  const session = () => ('session' in state ? state.session : undefined)
  const token = () => session()?.csrf_token
  const way = typeof by === 'string' ? sessionResource(by, token) : by
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: async () => set(await readState(way)),
    check: async () => {
      const next = await readState(way)
      if (next.step === 'signed-out') set({ step: 'signed-out', ended: true })
      else if (next.step === 'signed-in' && state.step === 'signed-in') set(next)
    },
    signIn: async (form) => set(signedIn(await way.signIn(form))),
    changePassword: async (current, next) => {
      const changed = await way.changePassword?.(current, next)
      if (changed !== undefined) set(signedIn(changed))
    },
    signOut: async () => {
      await way.signOut()
      set({ step: 'signed-out', ended: false })
    },
    ended: () => set({ step: 'signed-out', ended: 'session' in state }),
    passwordChangeRequired: () => {
      const known = session()
      if (known !== undefined && state.step !== 'password-change') set({ step: 'password-change', session: known })
    },
    csrfToken: token,
  }
}

/** Sessions as one resource of the API. */
function sessionResource(path: string, token: () => string | undefined): SessionApi {
  const send = async (init: RequestInit, to = path) => unwrap(await request(to, { token: token(), init }))
  return {
    read: async () => unwrap(await request(path, { token: undefined, init: {} })),
    signIn: ({ username, password }) => send(post({ username, password })),
    signOut: async () => {
      await send({ method: 'DELETE' })
    },
    changePassword: (current, next) =>
      send(post({ current_password: current, new_password: next }), `${path}/password`),
  }
}

async function readState(way: SessionApi): Promise<SessionState> {
  try {
    return signedIn(await way.read())
  } catch (thrown) {
    const error = thrown as ApiError
    return error.status === 401 ? { step: 'signed-out', ended: false } : { step: 'unreachable', error }
  }
}

/** Some services put the session into an envelope. */
function unwrap(answer: unknown): ServerSession {
  const { data = answer as ServerSession } = answer as { data?: ServerSession }
  return data
}

function signedIn(session: ServerSession): SessionState {
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

/** The page's session store; `HearthApp` provides it. */
export const SessionContext = createContext<SessionStore | undefined>(undefined)

/** The store itself, for signing in and out. */
export function useSessionStore(): SessionStore {
  const store = use(SessionContext)
  if (store === undefined) throw new Error('HearthApp is missing around this component')
  return store
}

/** Returns the state of the session; renders again when it changes. */
export function useSessionState(): SessionState {
  const store = useSessionStore()
  return useSyncExternalStore(
    (listener) => store.subscribe(listener),
    () => store.state(),
  )
}

/** The session of a page inside the shell, where somebody is signed in. */
export function useSession(): ServerSession & { isAdmin: boolean } {
  const state = useSessionState()
  if (!('session' in state)) throw new Error('nobody is signed in')
  return { ...state.session, isAdmin: state.session.user.role === 'admin' }
}
