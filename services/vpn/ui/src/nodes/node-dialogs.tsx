import { Alert, Button, Code, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, ConfirmDelete, CopyButton, FormDialog } from '@hearth/ui'
import { IconEyeOff } from '@tabler/icons-react'
import { api, keys, type Node, type NodeJoin } from '../api.ts'

const lifetimes = [
  { value: '1', label: 'One hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
]

interface JoinDialogProps {
  readonly onClose: () => void
  readonly onMade: (join: NodeJoin) => void
}

/** Adds a node. */
export function AddNode({ onClose, onMade }: JoinDialogProps) {
  const form = useForm({
    initialValues: { name: '', hours: '24' },
    validate: { name: (text: string) => (text.trim() === '' ? 'Enter a name' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add node"
      submitLabel="Add node"
      form={form}
      submit={({ name, hours }) => answer(api.POST('/api/nodes', { body: { name, expires_in_hours: Number(hours) } }))}
      renew={[keys.nodes]}
      onDone={({ data }) => onMade(data)}
    >
      <TextInput
        label="Name"
        placeholder="Berlin"
        required
        maxLength={64}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Join token works for" data={lifetimes} {...form.getInputProps('hours')} />
    </FormDialog>
  )
}

/** Makes a new join token for a node. */
export function RenewToken({ node, onClose, onMade }: JoinDialogProps & { readonly node: Node }) {
  const form = useForm({ initialValues: { hours: '24' } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`New join token for ${node.name}`}
      submitLabel="Make token"
      form={form}
      submit={({ hours }) =>
        answer(
          api.POST('/api/nodes/{id}/join-token', {
            params: { path: { id: node.id } },
            body: { expires_in_hours: Number(hours) },
          }),
        )
      }
      renew={[keys.nodes]}
      onDone={({ data }) => onMade(data)}
    >
      <Text>
        {node.joined_at === null
          ? 'A token that was made before works no more.'
          : 'The host that uses the token takes the place of this node. Until then the node goes on.'}
      </Text>
      <NativeSelect label="Join token works for" data={lifetimes} data-autofocus {...form.getInputProps('hours')} />
    </FormDialog>
  )
}

/** Shows a new join token, once, and what to do with it. */
export function NewToken({ join, onClose }: { join: NodeJoin; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={`Join as ${join.node.name}`} closeOnClickOutside={false} size="lg">
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          The token is shown only once. Whoever uses it first is the node.
        </Alert>
        <Text>On the host, run this command, paste the token and press Ctrl+D:</Text>
        <Code block className="hearth-secret" aria-label="Command">
          {join.command}
        </Code>
        <Group justify="flex-end">
          <CopyButton text={join.command}>Copy command</CopyButton>
        </Group>
        <Code block className="hearth-secret" aria-label="Join token">
          {join.token}
        </Code>
        <Text size="sm" c="dimmed">
          Then start the node with hearth vpn node run. If hosts reach this service at another address or port, change
          it in the command.
        </Text>
        <Group justify="flex-end">
          <CopyButton text={join.token} variant="filled">
            Copy token
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            I have it
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Changes the name of a node and the host at which peers reach it. */
export function EditNode({ node, onClose }: { node: Node; onClose: () => void }) {
  const form = useForm({
    initialValues: { name: node.name, endpoint: node.endpoint ?? '' },
    validate: { name: (text: string) => (text.trim() === '' ? 'Enter a name' : null) },
  })
  const endpoint = form.getValues().endpoint.trim()
  const interfaces = [...node.interfaces, ...node.standby_interfaces]
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${node.name}`}
      submitLabel="Save"
      form={form}
      submit={({ name }) =>
        answer(
          api.PUT('/api/nodes/{id}', {
            params: { path: { id: node.id } },
            body: { name, endpoint: endpoint === '' ? null : endpoint },
          }),
        )
      }
      renew={[keys.nodes, keys.interfaces]}
    >
      <TextInput label="Name" required maxLength={64} data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="Endpoint"
        description="Host name or address at which devices reach it; empty for the address of its last report. With a host name they need no new configuration when the address changes."
        placeholder={node.address ?? 'berlin.example.org'}
        maxLength={253}
        {...form.getInputProps('endpoint')}
      />
      {interfaces.length > 0 && endpoint !== (node.endpoint ?? '') && (
        <Alert color="yellow">Peers of {interfaces.join(', ')} need their configuration again.</Alert>
      )}
    </FormDialog>
  )
}

/** Dialog that confirms the removal of a node. */
export function RemoveNode({ node, onClose }: { node: Node; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove ${node.name}?`}
      verb="Remove node"
      losses={[
        node.joined_at === null
          ? 'Its join token, which works no more'
          : 'The identity of its host: what it sends is refused. To come back it has to join with a new token',
      ]}
      action={{
        run: () => answer(api.DELETE('/api/nodes/{id}', { params: { path: { id: node.id } } })),
        renew: [keys.nodes],
      }}
    />
  )
}
