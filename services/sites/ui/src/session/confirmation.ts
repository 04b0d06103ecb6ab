/** One question whether whoever sits here is who is signed in. However many calls wait for it, it is asked once. */
export interface Confirmation {
  /** Resolves with true when it was confirmed, with false when the person would not. */
  ask(): Promise<boolean>
  readonly isOpen: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  settle(isConfirmed: boolean): void
}

/** Nobody is asked yet. */
export function createConfirmation(): Confirmation {
  const listeners = new Set<() => void>()
  let open: { answer: Promise<boolean>; settle: (isConfirmed: boolean) => void } | undefined
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    ask: () => {
      if (open === undefined) {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        open = { answer: promise, settle: resolve }
        tell()
      }
      return open.answer
    },
    isOpen: () => open !== undefined,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settle: (isConfirmed) => {
      open?.settle(isConfirmed)
      open = undefined
      tell()
    },
  }
}
