import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { confirmation } from '../api.ts'

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-form.tsx')).ConfirmDialog }))

/** Dialog in which the user confirms their identity; opens when a call needs it, which then goes on. */
export function ConfirmIdentity() {
  const isOpen = useSyncExternalStore(confirmation.subscribe, confirmation.isOpen)
  const [wasOpened, setOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setOpened(true)
  // When the session ends meanwhile, nobody is left to answer.
  useEffect(() => () => confirmation.settle(false), [])
  return <Suspense>{wasOpened && <ConfirmDialog isOpen={isOpen} />}</Suspense>
}
