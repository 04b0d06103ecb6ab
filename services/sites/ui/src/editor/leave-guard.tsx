import { Button, Group, Modal, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { back, holdBack } from './hold-back.ts'

/** Asks before a page with unsaved changes is left: by a link, by the back button, or by closing the window. */
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
