/** One question whether whoever sits here is who is signed in. However many calls wait for it, it is asked once. */
export interface Confirmation {
  /** Resolves when it was confirmed, rejects when the person would not. */
  ask(): Promise<void>
  readonly isOpen: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  settle(isConfirmed: boolean): void
}

/** Nobody is asked yet. `refusal` makes the error of the calls that were not confirmed. */
export function createConfirmation(refusal: () => Error): Confirmation {
  const listeners = new Set<() => void>()
  let open: PromiseWithResolvers<void> | undefined
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    ask: () => {
      if (open === undefined) {
        open = Promise.withResolvers<void>()
        tell()
      }
      return open.promise
    },
    isOpen: () => open !== undefined,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settle: (isConfirmed) => {
      const asked = open
      open = undefined
      if (isConfirmed) asked?.resolve()
      else asked?.reject(refusal())
      tell()
    },
  }
}
