import { Checkbox, Group, Modal, NumberInput, TextInput } from '@mantine/core'
import { answer, ErrorState, FormDialog, LoadingLines } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Interface, keys, type PublicEndpoint } from '../api.ts'
import { EndpointField, EndpointWarning, usePublicEndpoint } from '../endpoint/endpoint-field.tsx'
import { useHostOverlap } from './host-overlap.ts'
import { RunsOn } from './runs-on.tsx'
import {
  interfaceValues,
  type InterfaceValues,
  proposedValues,
  type Proposal,
  toInterfaceCreate,
  toInterfaceUpdate,
} from './interface-values.ts'

const renewed = [keys.interfaces, keys.peers, keys.overview]

/** Creates an interface; the form opens with a free network and port. */
export function CreateInterface({ onClose }: { onClose: () => void }) {
  const proposal = useQuery({
    queryKey: [...keys.interfaces, 'proposal'],
    queryFn: async () => (await answer(api.GET('/api/interface-proposal'))).data,
    gcTime: 0,
  })
  const endpoint = usePublicEndpoint()
  if (proposal.data !== undefined && endpoint.data !== undefined)
    return <CreateForm proposal={proposal.data} endpoint={endpoint.data} onClose={onClose} />
  const error = proposal.error ?? endpoint.error
  const retry = () => void Promise.all([proposal.refetch(), endpoint.refetch()])
  return (
    <Modal opened onClose={onClose} title="Create interface">
      {error === null ? <LoadingLines lines={5} /> : <ErrorState error={error} onRetry={retry} />}
    </Modal>
  )
}

interface CreateFormProps {
  proposal: Proposal
  endpoint: PublicEndpoint
  onClose: () => void
}

/** Has a field for the public endpoint as long as none is set. */
function CreateForm({ proposal, endpoint, onClose }: CreateFormProps) {
  // Once it is saved the question would vanish from the open form.
  const [offered] = useState(endpoint)
  const needsEndpoint = offered.source === 'request'
  const form = useForm<InterfaceValues>({
    initialValues: proposedValues(proposal, needsEndpoint ? offered.candidates[0]?.host : ''),
  })
  const overlap = useHostOverlap()
  const submit = async (values: InterfaceValues) => {
    const host = values.public_endpoint.trim()
    if (needsEndpoint && host !== '') await answer(api.PUT('/api/settings', { body: { public_endpoint: host } }))
    return overlap.watch(answer(api.POST('/api/interfaces', { body: toInterfaceCreate(values) })))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Create interface"
      submitLabel="Create interface"
      form={form}
      submit={submit}
      renew={[...renewed, keys.settings]}
    >
      <TextInput
        label="Name"
        description="As Linux shows it: a letter first, at most 15 characters"
        maxLength={15}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {needsEndpoint ? (
        <EndpointField
          input={form.getInputProps('public_endpoint')}
          value={form.getValues().public_endpoint}
          known={offered}
          onChoose={(host) => form.setFieldValue('public_endpoint', host)}
        />
      ) : (
        <EndpointWarning />
      )}
      <RunsOn form={form} />
      <InterfaceFields form={form} overlapsWith={overlap.device} />
    </FormDialog>
  )
}

/** Changes an interface; its name stays. */
export function EditInterface({ interface: present, onClose }: { interface: Interface; onClose: () => void }) {
  const form = useForm<InterfaceValues>({ initialValues: interfaceValues(present) })
  const overlap = useHostOverlap()
  const submit = async (values: InterfaceValues) => {
    const body = toInterfaceUpdate(values, interfaceValues(present))
    if (body === undefined) return { message: 'Nothing was changed' }
    return overlap.watch(answer(api.PUT('/api/interfaces/{name}', { params: { path: { name: present.name } }, body })))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${present.name}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      renew={renewed}
    >
      <RunsOn form={form} present={present} />
      <InterfaceFields form={form} overlapsWith={overlap.device} />
    </FormDialog>
  )
}

interface InterfaceFieldsProps {
  form: UseFormReturnType<InterfaceValues>
  overlapsWith: string | undefined
}

function InterfaceFields({ form, overlapsWith }: InterfaceFieldsProps) {
  return (
    <>
      {overlapsWith !== undefined && (
        <Checkbox
          label="Use this network anyway"
          description={`The host then no longer reaches its neighbours on ${overlapsWith}, and you may lose your connection to it`}
          {...form.getInputProps('allow_host_overlap', { type: 'checkbox' })}
        />
      )}
      <TextInput
        label="IPv4 network"
        description="Address of the host on the tunnel, with the size of the network"
        required
        {...form.getInputProps('address')}
      />
      <TextInput label="IPv6 network" description="Empty for none" {...form.getInputProps('address6')} />
      <Group grow align="flex-start">
        <NumberInput
          label="UDP port"
          description="Forward it on the router"
          min={1}
          max={65_535}
          {...form.getInputProps('listen_port')}
        />
        <NumberInput label="MTU" description="1420 suits most" min={1280} max={9000} {...form.getInputProps('mtu')} />
      </Group>
      <TextInput
        label="DNS servers for peers"
        description="Empty for the filter of this service; or up to four addresses, separated by commas"
        {...form.getInputProps('dns')}
      />
      <Checkbox
        label="Let peers reach other networks and each other"
        description="Packet forwarding on the host"
        {...form.getInputProps('forwarding', { type: 'checkbox' })}
      />
      <Checkbox
        label="Hide peers behind this host’s address"
        description="NAT: needed for the internet through the VPN unless your router knows the VPN network"
        {...form.getInputProps('nat', { type: 'checkbox' })}
      />
    </>
  )
}
