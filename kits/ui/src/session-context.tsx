import { createContext, use, useSyncExternalStore } from 'react'
import type { ServerSession, SessionState, SessionStore } from './session-store.ts'

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
