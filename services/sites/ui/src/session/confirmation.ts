/** Confirmation of the user's identity. All calls that wait for one share the same dialog. */
export type Confirmation = ReturnType<typeof createConfirmation>

/** Creates the confirmation, not open yet. `refusal` makes the error of the calls that were not confirmed. */
export function createConfirmation(refusal: () => Error) {
  const listeners = new Set<() => void>()
  let open: PromiseWithResolvers<void> | undefined
  const notify = () => {
    for (const listener of listeners) listener()
  }
  return {
    /** Resolves when it was confirmed, rejects when the user declined. */
    request: (): Promise<void> => {
      if (open === undefined) {
        open = Promise.withResolvers<void>()
        notify()
      }
      return open.promise
    },
    isOpen: () => open !== undefined,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    settle: (isConfirmed: boolean): void => {
      const answered = open
      open = undefined
      if (isConfirmed) answered?.resolve()
      else answered?.reject(refusal())
      notify()
    },
  }
}
