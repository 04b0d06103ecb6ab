import { Accordion, Checkbox, NativeSelect, NumberInput, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys, readInterfaces } from '../api.ts'
import { readTags } from './bulk-actions.ts'
import { DnsFields } from './dns-fields.tsx'
import { LimitFields } from './limits.tsx'
import { NetworkFields } from './site-networks.tsx'
import { type PeerValues, routingModes, usesAllowedIps } from './peer-values.ts'

type PeerForm = UseFormReturnType<PeerValues>

/** Name, interface and tags: all a new device needs. */
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
      <TagsField form={form} />
    </>
  )
}

function TagsField({ form }: { form: PeerForm }) {
  const tags = useQuery({ queryKey: keys.peerTags, queryFn: readTags })
  return (
    <TagsInput
      label="Tags"
      description="Words to find peers by, such as “kids”; press Enter after each"
      maxTags={16}
      maxLength={32}
      data={tags.data?.map(({ tag }) => tag) ?? []}
      {...form.getInputProps('tags')}
    />
  )
}

const basics = new Set(['name', 'interface', 'tags'])
const sections = {
  use_adblocker: 'dns',
  blocklist_ids: 'dns',
  dns_logging_enabled: 'dns',
  networks: 'networks',
} as Record<string, string>

/** Everything that has a sensible default, folded away unless a problem is in there. */
export function PeerAdvanced(props: {
  form: PeerForm
  editing: boolean
  hasOwnKeys?: boolean
  overlapsWith: string | undefined
}) {
  const { form, editing, hasOwnKeys = false } = props
  const [open, setOpen] = useState<string | null>(null)
  const invalid = Object.keys(form.errors).filter((field) => !basics.has(field))
  const invalidSections = new Set(invalid.map((field) => sections[field] ?? 'advanced'))
  const [invalidSection] = invalidSections.has('advanced') ? ['advanced'] : [...invalidSections]
  return (
    <Accordion
      variant="contained"
      chevronPosition="left"
      keepMounted={false}
      value={invalidSection ?? open}
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
      <Accordion.Item value="networks">
        <Accordion.Control>Networks behind this device</Accordion.Control>
        <Accordion.Panel>
          <NetworkFields form={form} overlapsWith={props.overlapsWith} />
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="advanced">
        <Accordion.Control>Advanced</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <RoutingFields form={form} editing={editing} />
            <AddressFields form={form} editing={editing} />
            <TextInput
              type="datetime-local"
              label="Expires"
              description="The peer stops working then; empty means never"
              {...form.getInputProps('expires_at')}
            />
            <LimitFields form={form} />
            <KeyFields form={form} editing={editing} hasOwnKeys={hasOwnKeys} />
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
        label="Isolate from other peers"
        description="The peer reaches neither other peers nor this host, except for DNS"
        {...form.getInputProps('client_isolation', { type: 'checkbox' })}
      />
    </>
  )
}

/** Addresses within the interface's networks, to show what one looks like. */
function useExampleAddresses(name: string): { ip: string; ipv6: string } {
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  const on = interfaces.data?.find((each) => each.name === name)
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
  const free = editing ? '' : 'When empty, the service picks a free one'
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
        description="Seconds between keepalive packets, which keep NAT mappings of routers open; 0 disables them"
        placeholder="As the settings say"
        suffix=" s"
        min={0}
        max={65_535}
        {...form.getInputProps('persistent_keepalive')}
      />
    </>
  )
}

function KeyFields(props: { form: PeerForm; editing: boolean; hasOwnKeys: boolean }) {
  const { form, editing, hasOwnKeys } = props
  return (
    <>
      <Checkbox
        label="Preshared key"
        description="An additional secret between device and server that protects against future quantum computers"
        {...form.getInputProps('use_preshared_key', { type: 'checkbox' })}
      />
      <TextInput
        label="Public key of the device"
        disabled={hasOwnKeys}
        description={
          editing
            ? 'A new one replaces the key pair; the device then keeps its private key to itself'
            : 'When empty, the service creates the key pair and the QR code contains everything'
        }
        className="hearth-mono"
        spellCheck={false}
        {...form.getInputProps('public_key')}
      />
    </>
  )
}
