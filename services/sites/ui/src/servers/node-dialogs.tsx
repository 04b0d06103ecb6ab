import { Alert, Button, Checkbox, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { answer, ApiError, ConfirmDelete, describeError, FormDialog, notifyDone, Problem } from '@hearth/ui'
import { isNotEmpty, useForm, type UseFormReturnType } from '@mantine/form'
import { IconInfoCircle } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Node } from '../api.ts'
import { newNodeValues, type NodeValues, nodeValues, toNodeCreate, toNodeUpdate } from './node-values.ts'

const needed = isNotEmpty('Required')

/** Adds a Caddy on another machine. It must answer. */
export function AddNode({ onClose, onAdded }: { onClose: () => void; onAdded: (node: Node) => void }) {
  const form = useForm<NodeValues>({ initialValues: newNodeValues, validate: { name: needed, admin_url: needed } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add server"
      submitLabel="Add server"
      form={form}
      submit={async (values) => answer(api.POST('/api/nodes', { body: toNodeCreate(values) })).catch(atItsField)}
      onDone={onAdded}
      renew={[keys.nodes]}
    >
      <NodeName form={form} />
      <TextInput
        label="Admin endpoint"
        description="Of this machine or a private network; whoever reaches it controls that server"
        placeholder="http://10.0.0.2:2019"
        spellCheck={false}
        autoCapitalize="none"
        required
        {...form.getInputProps('admin_url')}
      />
      <PlaceFields form={form} />
    </FormDialog>
  )
}

/** The server puts the member's name before what is wrong with it when it is no matter of form. */
function atItsField(error: unknown): never {
  const match = error instanceof ApiError ? /^(name|admin_url): (.*)$/s.exec(error.message) : null
  if (!(error instanceof ApiError) || match === null || error.fields.length > 0) throw error
  const [, field, message = ''] = match
  throw new ApiError(message, { status: error.status, kind: error.kind, details: { field } })
}

/** Changes a server; the first one has its places from the settings of the service. */
export function EditNode({ node, isFirst, onClose }: { node: Node; isFirst: boolean; onClose: () => void }) {
  const form = useForm<NodeValues>({ initialValues: nodeValues(node), validate: { name: needed } })
  const submit = async (values: NodeValues) => {
    const body = toNodeUpdate(values, node)
    if (body === undefined) return undefined
    return answer(api.PATCH('/api/nodes/{id}', { params: { path: { id: node.id } }, body })).catch(atItsField)
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${node.name}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      onDone={(saved) => notifyDone(saved === undefined ? 'Nothing was changed' : `${saved.name} is saved`)}
      renew={[keys.nodes]}
    >
      <NodeName form={form} />
      {isFirst ? (
        <Alert color="gray" icon={<IconInfoCircle aria-hidden />}>
          Its ports, addresses and log come from the settings of the service, such as CADDY_HTTP_PORT.
        </Alert>
      ) : (
        <PlaceFields form={form} />
      )}
    </FormDialog>
  )
}

type NodeForm = UseFormReturnType<NodeValues>

function NodeName({ form }: { form: NodeForm }) {
  return (
    <TextInput
      label="Name"
      description="Lower-case letters, digits, hyphens and dots"
      autoCapitalize="none"
      autoComplete="off"
      data-autofocus
      required
      {...form.getInputProps('name')}
    />
  )
}

function PlaceFields({ form }: { form: NodeForm }) {
  return (
    <>
      <Group grow>
        <NumberInput label="HTTP port" min={1} max={65_535} {...form.getInputProps('http_port')} />
        <NumberInput label="HTTPS port" min={1} max={65_535} {...form.getInputProps('https_port')} />
      </Group>
      <TextInput
        label="Listens at"
        description="IP addresses of that machine, separated by commas. Empty for all."
        placeholder="192.0.2.1, 2001:db8::1"
        {...form.getInputProps('bind')}
      />
      <TextInput
        label="Access log"
        description="Path on that machine. Empty for none."
        placeholder="/var/log/caddy/access.log"
        spellCheck={false}
        {...form.getInputProps('log_file')}
      />
    </>
  )
}

/** Confirms that a server is removed. */
export function RemoveNode({ node, onClose }: { node: Node; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Forget ${node.name}?`}
      verb="Forget server"
      losses={['Managing this server: it goes on with what it runs now', 'What is known of it here']}
      action={{
        run: () => answer(api.DELETE('/api/nodes/{id}', { params: { path: { id: node.id } } })),
        done: () => `${node.name} is forgotten`,
        renew: [keys.nodes],
      }}
    />
  )
}

/** Lets a server serve the sites; needs a confirmation when it serves something already. */
export function OnboardNode({ node, onClose }: { node: Node; onClose: () => void }) {
  const cache = useQueryClient()
  const [needsConfirmation, setNeedsConfirmation] = useState(false)
  const [isConfirmed, setConfirmed] = useState(false)
  const onboard = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/nodes/{id}/onboard', {
          params: { path: { id: node.id } },
          body: { confirm_exclusive: isConfirmed },
        }),
      ),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: keys.nodes })
      notifyDone(`${node.name} serves the sites now`)
      onClose()
    },
    onError: (error) => setNeedsConfirmation(needsConfirmation || isServing(error)),
  })
  const problem = onboard.error === null || isServing(onboard.error) ? undefined : describeError(onboard.error)
  return (
    <Modal opened onClose={onClose} title={`Let ${node.name} serve the sites?`}>
      <Stack>
        <Problem text={problem} />
        <Text>It gets the configuration of this service, and all later changes.</Text>
        {needsConfirmation && (
          <Checkbox
            label="What it serves now is replaced"
            description="It serves something already. This service alone changes its configuration from now on."
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={onboard.isPending}
            disabled={needsConfirmation && !isConfirmed}
            onClick={() => onboard.mutate()}
          >
            Let it serve
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const isServing = (error: unknown): boolean => error instanceof ApiError && error.kind === 'confirmation_required'
