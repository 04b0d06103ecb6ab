import { Button, Group, Modal, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'

/** Confirms that a page with unsaved changes is left: by a link, by the back button, or by closing the window. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const [target, setTarget] = useState<string>()
  const [, navigate] = useLocation()
  useEffect(() => (isDirty ? holdBack(setTarget) : undefined), [isDirty])
  if (target === undefined || !isDirty) return null
  const leave = () => {
    if (target === back) history.go(-2)
    else navigate(target)
  }
  return (
    <Modal opened onClose={() => setTarget(undefined)} title="Leave without saving?">
      <Text>Your changes will be lost.</Text>
      <Group justify="flex-end" mt="md" className="hearth-dialog-actions">
        <Button variant="default" onClick={() => setTarget(undefined)} data-autofocus>
          Stay
        </Button>
        <Button color="red" onClick={leave}>
          Leave
        </Button>
      </Group>
    </Modal>
  )
}

/** Stands for the page before this one, whose address nobody knows. */
const back = 'back'

const guard = 'hearth-unsaved'

/**
 * Keeps the page where it is and reports the wanted target: an address of this service, or `back`. Returns a function that ends this.
 * The back button cannot be stopped, so one more entry of the same address stands in its way.
 */
function holdBack(wanted: (target: string) => void): () => void {
  const { pathname } = location
  const putGuard = () => history.pushState(guard, '', location.href)
  const onClick = (event: MouseEvent) => {
    const target = targetOf(event, pathname)
    if (target === undefined) return
    event.preventDefault()
    event.stopImmediatePropagation()
    wanted(target)
  }
  const onBack = () => {
    if (location.pathname !== pathname || history.state === guard) return
    putGuard()
    wanted(back)
  }
  const onClose = (event: BeforeUnloadEvent) => event.preventDefault()
  putGuard()
  document.addEventListener('click', onClick, { capture: true })
  window.addEventListener('popstate', onBack)
  window.addEventListener('beforeunload', onClose)
  return () => {
    document.removeEventListener('click', onClick, { capture: true })
    window.removeEventListener('popstate', onBack)
    window.removeEventListener('beforeunload', onClose)
    if (history.state === guard) history.back()
  }
}

/** Returns the target of a click that leaves the page in this window. */
function targetOf(event: MouseEvent, pathname: string): string | undefined {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.target === '_blank' || link.origin !== location.origin)
    return undefined
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return undefined
  return link.pathname === pathname ? undefined : link.pathname + link.search
}
