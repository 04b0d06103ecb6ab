import { answer, ConfirmDelete, formatCount, FormDialog } from '@hearth/ui'
import { Checkbox } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Peer } from '../api.ts'
import { useState } from 'react'
import { useHostOverlap } from '../interfaces/host-overlap.ts'
import { keysObstacle, makeKeyPair } from './browser-keys.ts'
import { staleAfterPeers } from './bulk-actions.ts'
import { PeerAdvanced, PeerBasics } from './peer-fields.tsx'
import { newPeerValues, type PeerValues, peerValues, toPeerCreate, toPeerUpdate } from './peer-values.ts'

const named = { name: (name: string) => (name.trim() === '' ? 'Give the device a name' : null) }

/** Adds a peer; mount it afresh for every new one. */
export function CreatePeer(props: {
  interfaces: string[]
  onClose: () => void
  /** Gets the peer, and its private key when that was made in this browser. */
  onCreated: (peer: Peer, privateKey: string | undefined) => void
}) {
  const [hasOwnKeys, setOwnKeys] = useState(false)
  const overlap = useHostOverlap()
  const obstacle = keysObstacle(window.isSecureContext, window.crypto.subtle)
  const form = useForm<PeerValues>({ initialValues: newPeerValues(props.interfaces[0] ?? ''), validate: named })
  return (
    <FormDialog
      opened
      onClose={props.onClose}
      title="Add peer"
      submitLabel="Add peer"
      form={form}
      submit={async (values) => {
        const pair = hasOwnKeys ? await makeKeyPair(window.crypto.subtle) : undefined
        const body = { ...toPeerCreate(values), ...(pair !== undefined && { public_key: pair.publicKey }) }
        const created = await overlap.watch(answer(api.POST('/api/peers', { body })))
        return { ...created, privateKey: pair?.privateKey }
      }}
      renew={staleAfterPeers}
      onDone={({ data, privateKey }) => props.onCreated(data, privateKey)}
    >
      <PeerBasics form={form} interfaces={props.interfaces} editing={false} />
      <Checkbox
        label="Make the keys in this browser"
        description={
          obstacle ??
          'The service then never has the private key: you get file and QR code once, and nobody can show them again'
        }
        disabled={obstacle !== undefined}
        checked={hasOwnKeys}
        onChange={(event) => setOwnKeys(event.currentTarget.checked)}
      />
      <PeerAdvanced form={form} editing={false} hasOwnKeys={hasOwnKeys} overlapsWith={overlap.device} />
    </FormDialog>
  )
}

/** Changes a peer; sends only what differs. */
export function EditPeer({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const form = useForm<PeerValues>({ initialValues: peerValues(peer), validate: named })
  const overlap = useHostOverlap()
  const submit = async (values: PeerValues) => {
    const body = toPeerUpdate(values, peerValues(peer))
    if (body === undefined) return { message: 'Nothing was changed' }
    return overlap.watch(answer(api.PUT('/api/peers/{id}', { params: { path: { id: peer.id } }, body })))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${peer.name}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      renew={[keys.peers, keys.peerTags]}
    >
      <PeerBasics form={form} interfaces={[]} editing />
      <PeerAdvanced form={form} editing overlapsWith={overlap.device} />
    </FormDialog>
  )
}

/** Dialog that confirms the deletion of a peer and counts the rules and log entries that go with it. */
export function DeletePeer({ peer, onClose, onDeleted }: { peer: Peer; onClose: () => void; onDeleted: () => void }) {
  const query = { client: peer.id, limit: 1 }
  const rules = useQuery({
    queryKey: [...keys.dnsRules, 'total', query],
    queryFn: () => answer(api.GET('/api/dns/rules', { params: { query } })),
  })
  const log = useQuery({
    queryKey: [...keys.dnsLog, 'total', query],
    queryFn: () => answer(api.GET('/api/dns/queries', { params: { query } })),
    retry: false,
  })
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${peer.name}?`}
      verb="Delete peer"
      losses={[
        `The peer “${peer.name}” with its keys: the device is cut off at once`,
        `Its address ${peer.ip}, which another peer may get`,
        'Its traffic counters and history',
        ...(peer.networks.length === 0
          ? []
          : [`The way to the ${formatCount(peer.networks.length, 'network')} behind it, for all other devices`]),
        rules.data === undefined ? 'Its DNS rules' : `Its ${formatCount(rules.data.total, 'DNS rule')}`,
        log.data === undefined
          ? 'Its entries in the query log'
          : `Its ${formatCount(log.data.total, 'entry', 'entries')} in the query log`,
      ]}
      action={{
        run: () => answer(api.DELETE('/api/peers/{id}', { params: { path: { id: peer.id } } })),
        renew: staleAfterPeers,
        onDone: onDeleted,
      }}
    />
  )
}
