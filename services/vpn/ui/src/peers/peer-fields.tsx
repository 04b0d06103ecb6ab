import { Accordion, Checkbox, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
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

function AddressFields({ form, editing }: { form: PeerForm; editing: boolean }) {
  const free = editing ? '' : 'Left empty, the service picks a free one'
  return (
    <>
      <TextInput label="IPv4 address" description={free} placeholder="10.8.0.2" {...form.getInputProps('ip')} />
      <TextInput
        label="IPv6 address"
        description={editing ? 'Empty removes it' : free}
        placeholder="fd13:13:13::2"
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
