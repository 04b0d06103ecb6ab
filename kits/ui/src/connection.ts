import { createContext, use } from 'react'
import type { ConnectionState } from './event-stream.ts'

/** State of the connection to the event stream; the application provides it. */
export const ConnectionContext = createContext<ConnectionState>('connecting')

/** The present connection, for pages that say which of their values may be out of date. */
export function useConnection(): ConnectionState {
  return use(ConnectionContext)
}
