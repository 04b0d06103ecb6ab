import { Accordion, Checkbox, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { DnsFields } from './dns-fields.tsx'
import { type PeerValues, usesAllowedIps } from './peer-values.ts'
import { routingModes } from './routing-modes.ts'

type PeerForm = UseFormReturnType<PeerValues>

/** Name and interface: all a new device needs. */
export function PeerBasics({ form, interfaces, editing }: { form: PeerForm; interfaces: string[]; editing: boolean }) {
  return (
    <>
      <TextInput
        label="Name"
        description="Whose device it is, such as “Mara’s phone”"
        maxLength={64}
        required
        data-autofocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      {!editing && (
        <NativeSelect
          label="Interface"
          data={interfaces}
          key={form.key('interface')}
          {...form.getInputProps('interface')}
        />
      )}
    </>
  )
}

const basics = new Set(['name', 'interface'])
const dns = new Set(['use_adblocker', 'blocklist_ids', 'dns_logging_enabled'])

/** Everything that has a sensible default, folded away unless a problem is in there. */
export function PeerAdvanced({ form, editing }: { form: PeerForm; editing: boolean }) {
  const [open, setOpen] = useState<string | null>(null)
  const troubled = Object.keys(form.errors).filter((field) => !basics.has(field))
  const trouble = troubled.length === 0 ? undefined : troubled.every((field) => dns.has(field)) ? 'dns' : 'advanced'
  return (
    <Accordion
      variant="contained"
      chevronPosition="left"
      keepMounted={false}
      value={trouble ?? open}
      onChange={setOpen}
    >
      <Accordion.Item value="dns">
        <Accordion.Control>DNS filter</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <DnsFields form={form} />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="advanced">
        <Accordion.Control>Advanced</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <RoutingFields form={form} editing={editing} />
            <AddressFields form={form} editing={editing} />
            <LifeFields form={form} />
            <KeyFields form={form} editing={editing} />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

function RoutingFields({ form, editing }: { form: PeerForm; editing: boolean }) {
  const mode = form.getValues().routing_mode
  const options = Object.entries(routingModes).map(([value, { label }]) => ({ value, label }))
  return (
    <>
      <NativeSelect
        label="What goes through the tunnel"
        description={mode === '' ? 'As the settings say for new peers.' : routingModes[mode].explanation}
        data={editing ? options : [{ value: '', label: 'The default' }, ...options]}
        {...form.getInputProps('routing_mode')}
      />
      {usesAllowedIps(mode) && (
        <Textarea
          label="Networks through the tunnel"
          description="Addresses or networks such as 192.168.1.0/24, separated by commas or lines"
          autosize
          minRows={2}
          {...form.getInputProps('allowed_ips')}
        />
      )}
      <Checkbox
        label="Keep it apart from other peers"
        description="It reaches neither other peers nor this host, except for DNS"
        {...form.getInputProps('client_isolation', { type: 'checkbox' })}
      />
    </>
  )
}

/** Addresses within the interface's networks, to show what one looks like. */
function useExampleAddresses(name: string): { ip: string; ipv6: string } {
  const query = useQuery({
    queryKey: [...keys.interfaces, 'networks'],
    queryFn: async () => (await answer(api.GET('/api/interfaces', { params: { query: { limit: 100 } } }))).data,
  })
  const on = query.data?.find((each) => each.name === name)
  return { ip: neighbourOf(on?.address, '.', 10), ipv6: neighbourOf(on?.address6 ?? undefined, ':', 16) }
}

/** The address after that of an interface; empty without one. */
function neighbourOf(cidr: string | undefined, separator: '.' | ':', radix: 10 | 16): string {
  const [address = ''] = (cidr ?? '').split('/')
  const at = address.lastIndexOf(separator) + 1
  const last = Number.parseInt(address.slice(at) || '0', radix)
  return at === 0 ? '' : `${address.slice(0, at)}${(last + (last < 254 ? 1 : -1)).toString(radix)}`
}

function AddressFields({ form, editing }: { form: PeerForm; editing: boolean }) {
  const free = editing ? '' : 'Left empty, the service picks a free one'
  const example = useExampleAddresses(form.getValues().interface)
  return (
    <>
      <TextInput label="IPv4 address" description={free} placeholder={example.ip} {...form.getInputProps('ip')} />
      <TextInput
        label="IPv6 address"
        description={editing ? 'Empty removes it' : free}
        placeholder={example.ipv6}
        {...form.getInputProps('ipv6')}
      />
      <NumberInput
        label="Keepalive"
        description="Seconds between signs of life, which keep the way through routers open; 0 is off"
        placeholder="As the settings say"
        suffix=" s"
        min={0}
        max={65_535}
        {...form.getInputProps('persistent_keepalive')}
      />
    </>
  )
}

function LifeFields({ form }: { form: PeerForm }) {
  return (
    <TextInput
      type="datetime-local"
      label="Works until"
      description="After this moment the peer stops working; empty means no end"
      {...form.getInputProps('expires_at')}
    />
  )
}

function KeyFields({ form, editing }: { form: PeerForm; editing: boolean }) {
  return (
    <>
      <Checkbox
        label="Preshared key"
        description="A second secret between device and server, against future quantum computers"
        {...form.getInputProps('use_preshared_key', { type: 'checkbox' })}
      />
      <TextInput
        label="Public key made on the device"
        description={
          editing
            ? 'A new one replaces the key pair; the device then keeps its private key to itself'
            : 'Left empty, the service makes the key pair and the QR code holds everything'
        }
        className="hearth-mono"
        spellCheck={false}
        {...form.getInputProps('public_key')}
      />
    </>
  )
}
