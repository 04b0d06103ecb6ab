import { Button, Group, Modal, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'

/** Asks before a page with unsaved changes is left: by a link, by the back button, or by closing the window. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const [target, setTarget] = useState<string>()
  const [, navigate] = useLocation()
  useEffect(() => {
    if (!isDirty) return undefined
    return holdBack(setTarget)
  }, [isDirty])
  if (target === undefined || !isDirty) return null
  return (
    <Modal opened onClose={() => setTarget(undefined)} title="Leave without saving?">
      <Text>What you changed here is lost.</Text>
      <Group justify="flex-end" mt="md" className="hearth-dialog-actions">
        <Button variant="default" onClick={() => setTarget(undefined)} data-autofocus>
          Stay
        </Button>
        <Button color="red" onClick={() => navigate(target)}>
          Leave
        </Button>
      </Group>
    </Modal>
  )
}

/** Keeps the page where it is and tells where somebody wanted to go. Returns what ends that. */
function holdBack(wanted: (target: string) => void): () => void {
  const here = location.pathname + location.search
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (!(link instanceof HTMLAnchorElement) || link.target === '_blank' || link.origin !== location.origin) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    if (link.pathname === location.pathname) return
    event.preventDefault()
    event.stopImmediatePropagation()
    wanted(link.pathname + link.search)
  }
  const onBack = (event: PopStateEvent) => {
    if (location.pathname === here.split('?')[0]) return
    event.stopImmediatePropagation()
    const target = location.pathname + location.search
    history.pushState(null, '', here)
    wanted(target)
  }
  const onClose = (event: BeforeUnloadEvent) => event.preventDefault()
  document.addEventListener('click', onClick, { capture: true })
  window.addEventListener('popstate', onBack, { capture: true })
  window.addEventListener('beforeunload', onClose)
  return () => {
    document.removeEventListener('click', onClick, { capture: true })
    window.removeEventListener('popstate', onBack, { capture: true })
    window.removeEventListener('beforeunload', onClose)
  }
}
