import { Button, NativeSelect, PasswordInput, TagsInput, Text, TextInput } from '@mantine/core'
import { answer, ApiError, FormDialog } from '@hearth/ui'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readNeighbours } from '../api.ts'
import { recordNames } from './link-words.ts'
import type { VpnLink } from './read-link.ts'

interface DialogProps {
  readonly link: VpnLink
  readonly onClose: () => void
}

/** The form of the address of a Hearth VPN and the token for it. */
export function LinkDialog({ link, onClose }: DialogProps) {
  const neighbours = useQuery({ queryKey: ['neighbours'], queryFn: readNeighbours })
  const found = neighbours.data?.find(({ service }) => service === 'vpn')?.address
  const form = useForm({
    initialValues: { address: link.address ?? '', token: '' },
    validate: { address: isNotEmpty('Required'), token: isNotEmpty('Required') },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={link.address === null ? 'Link a Hearth VPN' : 'Change the link'}
      submitLabel="Check and save"
      progress="The VPN is asked…"
      form={form}
      submit={(body) => answer(api.PATCH('/api/vpn-link', { body }))}
      renew={[keys.vpnLink]}
    >
      <TextInput
        label="Address"
        description={found === undefined ? undefined : `One was found here: ${found}`}
        placeholder={found ?? 'http://127.0.0.1:8101'}
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('address')}
      />
      {found !== undefined && form.getValues().address === '' && (
        <Button variant="light" size="xs" onClick={() => form.setFieldValue('address', found)}>
          Use {found}
        </Button>
      )}
      <PasswordInput
        label="API token"
        description="In the VPN under Profile: a token of an administrator with full permissions. It is kept sealed and never shown again."
        autoComplete="new-password"
        {...form.getInputProps('token')}
      />
    </FormDialog>
  )
}

/** The form of the networks that count as home, and of the names that lead to Caddy inside. */
export function InsideDialog({ link, onClose }: DialogProps) {
  const form = useForm({
    initialValues: {
      home_networks: link.home_networks.length > 0 ? link.home_networks : link.suggested_home_networks,
      inside_addresses: link.inside_addresses.length > 0 ? link.inside_addresses : link.suggested_inside_addresses,
      records: link.records,
    },
  })
  const isSuggested = link.home_networks.length === 0 && link.suggested_home_networks.length > 0
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Inside"
      submitLabel="Save"
      form={form}
      submit={(values) => save(values)}
      renew={[keys.vpnLink]}
    >
      {isSuggested && (
        <Text size="sm" c="dimmed">
          The networks of this machine are filled in. Nothing is saved yet.
        </Text>
      )}
      <TagsInput
        label="Home networks"
        description="Sites for home are reached from these and from the VPN"
        placeholder="192.168.1.0/24"
        data={link.suggested_home_networks}
        maxTags={64}
        comboboxProps={{ withinPortal: false }}
        {...form.getInputProps('home_networks')}
      />
      <TagsInput
        label="Caddy’s address inside"
        description="Where devices at home and in the VPN reach Caddy: IPv4, IPv6, or both. Names of sites lead there."
        placeholder="10.8.0.1"
        data={link.suggested_inside_addresses}
        maxTags={4}
        comboboxProps={{ withinPortal: false }}
        {...form.getInputProps('inside_addresses')}
      />
      <NativeSelect
        label="Names in the VPN"
        description="Sites whose names lead to Caddy inside"
        data={Object.entries(recordNames).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('records')}
      />
    </FormDialog>
  )
}

async function save(body: Pick<VpnLink, 'home_networks' | 'inside_addresses' | 'records'>) {
  try {
    return await answer(api.PATCH('/api/vpn-link', { body }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // One input holds the whole list.
    const fields = error.fields.map((field) => ({ ...field, path: field.path.replace(/\.\d+$/, '') }))
    throw new ApiError(error.message, { status: error.status, kind: error.kind, details: { fields } })
  }
}
