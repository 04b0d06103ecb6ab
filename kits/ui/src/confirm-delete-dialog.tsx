import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type Action, useAction } from './use-action.ts'

/** The object that is lost, and the action that deletes it. */
export interface ConfirmDeleteProps<Output> {
  opened: boolean
  onClose(): void
  title: string
  losses: readonly string[]
  /** Label of the button: `Delete peer`, `Revoke token`. */
  verb: string
  action: Pick<Action<void, Output>, 'run' | 'done' | 'renew' | 'onDone'>
}

/** The dialog of `ConfirmDelete`, in a file of its own that is loaded when it first opens. */
export function ConfirmDeleteDialog<Output>(props: ConfirmDeleteProps<Output>) {
  const { action } = props
  const removal = useAction<void, Output>({
    ...action,
    onDone: (output, input) => {
      props.onClose()
      action.onDone?.(output, input)
    },
  })
  return (
    <Modal opened={props.opened} onClose={() => props.onClose()} title={props.title}>
      <Stack>
        <Text>This cannot be undone. What is lost:</Text>
        <List size="sm" spacing={4}>
          {props.losses.map((loss) => (
            <List.Item key={loss}>{loss}</List.Item>
          ))}
        </List>
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={() => props.onClose()} data-autofocus>
            Keep
          </Button>
          <Button
            color="red"
            loading={removal.isPending}
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => removal.mutate()}
          >
            {props.verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
