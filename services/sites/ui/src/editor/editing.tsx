import { createContext, use } from 'react'
import type { Draft } from './draft.ts'
import type { Issue } from './issues.ts'

/** The draft that the fields of the editor read and change. */
export interface Editing {
  readonly draft: Draft
  /** The draft before any change. */
  readonly base: Draft
  readonly issues: readonly Issue[]
  /** Puts a value at a path such as `tls.mode`. */
  readonly set: (path: string, value: unknown) => void
}

const EditingContext = createContext<Editing | undefined>(undefined)

/** Gives the fields below what they work on. */
export const EditingProvider = EditingContext.Provider

/** Returns the draft that the fields work on. Throws outside of an editor. */
export function useEditing(): Editing {
  const editing = use(EditingContext)
  if (editing === undefined) throw new Error('no editor around this field')
  return editing
}
