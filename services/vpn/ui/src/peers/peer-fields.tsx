import {
  Accordion,
  Checkbox,
  NativeSelect,
  NumberInput,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
  Input,
  Text,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { describeError, LoadingLines } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys, readBlocklists, readInterfaces } from '../api.ts'
import { readTags } from './bulk-actions.ts'
import { LimitFields } from './limits.tsx'
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
const dns = new Set(['use_adblocker', 'blocklist_ids', 'dns_logging_enabled'])

/** Everything that has a sensible default, folded away unless a problem is in there. */
export function PeerAdvanced(props: { form: PeerForm; editing: boolean; hasOwnKeys?: boolean }) {
  const { form, editing, hasOwnKeys = false } = props
  const [open, setOpen] = useState<string | null>(null)
  const invalidFields = Object.keys(form.errors).filter((field) => !basics.has(field))
  const invalidSection =
    invalidFields.length === 0 ? undefined : invalidFields.every((field) => dns.has(field)) ? 'dns' : 'advanced'
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

/** Fields for DNS filtering and query logging of a peer. */
function DnsFields({ form }: { form: PeerForm }) {
  const { use_adblocker: isFiltered, blocklist_ids: chosen } = form.getValues()
  return (
    <>
      <Checkbox
        label="Filter names"
        description="When off, this peer gets every answer, whatever lists and rules say"
        {...form.getInputProps('use_adblocker', { type: 'checkbox' })}
      />
      {isFiltered && (
        <NativeSelect
          label="Block lists for this peer"
          data={[
            { value: 'all', label: 'All lists, also those added later' },
            { value: 'some', label: 'Only those chosen here' },
          ]}
          value={chosen === null ? 'all' : 'some'}
          onChange={(event) => form.setFieldValue('blocklist_ids', event.currentTarget.value === 'all' ? null : [])}
        />
      )}
      {isFiltered && chosen !== null && (
        <ListChoice
          chosen={chosen}
          error={form.errors['blocklist_ids']}
          onChange={(ids) => form.setFieldValue('blocklist_ids', ids)}
        />
      )}
      <Checkbox
        label="Log its queries"
        description="When off, its queries appear in no log and no statistics"
        {...form.getInputProps('dns_logging_enabled', { type: 'checkbox' })}
      />
    </>
  )
}

function ListChoice(props: { chosen: string[]; error: React.ReactNode; onChange: (ids: string[]) => void }) {
  const { chosen, error, onChange } = props
  const lists = useQuery({ queryKey: keys.blocklists, queryFn: readBlocklists })
  if (lists.data === undefined)
    return lists.error === null ? <LoadingLines lines={2} /> : <Text c="dimmed">{describeError(lists.error)}</Text>
  if (lists.data.length === 0) return <Text c="dimmed">There is no list yet; your own rules hold all the same.</Text>
  return (
    <Checkbox.Group value={chosen} onChange={onChange} error={error} aria-label="Chosen lists">
      <Stack gap={6}>
        {lists.data.map((list) => (
          <Checkbox key={list.id} value={list.id} label={list.enabled ? list.name : `${list.name} (disabled)`} />
        ))}
      </Stack>
      {chosen.length === 0 && (
        <Input.Description mt={6}>With none, only your own rules hold for this peer.</Input.Description>
      )}
    </Checkbox.Group>
  )
}
