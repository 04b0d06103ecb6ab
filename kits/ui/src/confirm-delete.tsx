import { lazy, Suspense, useState } from 'react'
import type { ConfirmDeleteProps } from './confirm-delete-dialog.tsx'

const Dialog = lazy(async () => ({ default: (await import('./confirm-delete-dialog.tsx')).ConfirmDeleteDialog }))

/** Asks before something is lost. `losses` names what goes; the safe answer has the focus. */
export function ConfirmDelete<Output>(props: ConfirmDeleteProps<Output>) {
  const [wasOpened, setOpened] = useState(props.opened)
  if (props.opened && !wasOpened) setOpened(true)
  return <Suspense>{wasOpened && <Dialog {...props} />}</Suspense>
}
