import { Alert, Button, Group, Text } from '@mantine/core'
import { notifyProblem } from '@hearth/ui'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { WorkbenchSession } from './use-session.ts'

const words = { saved: 'Saved', waiting: 'Saving…', saving: 'Saving…', conflict: 'Not saved', failed: 'Not saved' }

/** Says whether everything is saved. */
export const SaveStatus = ({ session }: { session: WorkbenchSession }) => (
  <Text size="sm" c="dimmed" component="output">
    {words[session.saving.kind]}
  </Text>
)

/** What keeps the session from being saved, and what can be done. */
export function SaveProblem({ session }: { session: WorkbenchSession }) {
  const { saving, retry, takeTheirs, keepMine } = session
  const look = {
    color: 'red',
    variant: 'light',
    icon: <IconAlertTriangle aria-hidden />,
    className: 'hearth-problem',
  } as const
  if (saving.kind === 'failed')
    return (
      <Alert {...look} title="Your changes are not saved">
        {saving.reason}
        <Group mt="sm">
          <Button size="xs" onClick={retry}>
            Try again
          </Button>
        </Group>
      </Alert>
    )
  if (saving.kind !== 'conflict') return null
  return (
    <Alert {...look} title="This workbench was changed in another tab">
      Your changes since then are not saved. Load what was saved there, or save yours in its place.
      <Group mt="sm">
        <Button size="xs" onClick={() => void takeTheirs().catch(notifyProblem)}>
          Load the other one
        </Button>
        <Button size="xs" variant="default" onClick={() => void keepMine().catch(notifyProblem)}>
          Save mine
        </Button>
      </Group>
    </Alert>
  )
}
