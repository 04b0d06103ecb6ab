import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import { conflict } from '../problems.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import type { Configurations } from './configurations.ts'
import { configurationFileName } from './file-name.ts'
import type { Peers } from './peers.ts'
import { PeerBulkChange, PeerBulkChanged } from './bulk-schema.ts'
import {
  ConfigurationQuery,
  Peer,
  PeerCreate,
  PeerDeleted,
  PeerListQuery,
  PeerPage,
  PeerParams,
  PeerTags,
  PeerUpdate,
} from './schema.ts'

const shared = { tag: 'Peers', limit: 'counted' } as const
const member = { ...shared, path: '/api/peers/{id}', params: PeerParams } as const

/** Peers: everyone signed in may read them, administrators change them and hand out configurations. */
export function peerRoutes(peers: Peers, configurations: Configurations, publish: Publish): Route[] {
  return [
    ...readingRoutes(peers),
    ...configurationRoutes(configurations),
    ...changingRoutes(peers, publish),
    bulkRoute(peers, publish),
  ]
}

function readingRoutes(peers: Peers): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/peers',
        summary: 'List peers',
        description: 'In the order they were created, unless sorted. Counts stand beside the array inside `data`.',
        access: 'signed-in',
        query: PeerListQuery,
        success: { status: 200, body: dataEnvelope(PeerPage) },
      },
      async ({ caller, query }) => {
        const { rows, total } = await peers.list(caller, query)
        return ok({ peers: rows, total, limit: query.limit, offset: query.offset })
      },
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/peers/tags',
        summary: 'List the tags of peers',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(PeerTags) },
      },
      async () => ok(await peers.tags()),
    ),
    route(
      {
        ...member,
        method: 'GET',
        summary: 'Read a peer',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(Peer) },
        errors: [404],
      },
      async ({ caller, params }) => ok(await peers.get(caller, params.id)),
    ),
  ]
}

function configurationRoutes(configurations: Configurations): Route[] {
  return [
    route(
      {
        ...member,
        method: 'GET',
        path: '/api/peers/{id}/config',
        summary: 'The device’s configuration',
        description: 'A file for wg-quick and the WireGuard apps. It holds the device’s private key.',
        access: 'admin',
        query: ConfigurationQuery,
        success: { status: 200, media: 'text/plain', description: 'The file' },
        errors: [404, 409],
      },
      async ({ params, query: { standby }, client }) => {
        const { name, text } = await configurations.read(params.id, client.host, standby)
        return { content: text, fileName: configurationFileName(name, standby) }
      },
    ),
    route(
      {
        ...member,
        method: 'GET',
        path: '/api/peers/{id}/qrcode',
        summary: 'The configuration as a QR code',
        access: 'admin',
        query: ConfigurationQuery,
        success: { status: 200, media: 'image/png', description: 'The picture' },
        errors: [404, 409],
      },
      async ({ params, query: { standby }, client }) => ({
        content: await encodeQrCode((await configurations.read(params.id, client.host, standby)).text),
      }),
    ),
  ]
}

function changingRoutes(peers: Peers, publish: Publish): Route[] {
  const edited = createEditAnswer(publish, 'peers')
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/peers',
        summary: 'Create a peer',
        description: 'The service chooses address and keys that are left out, and puts the peer on the running device.',
        access: 'admin',
        body: PeerCreate,
        success: { status: 201, body: messageEnvelope(Peer) },
        errors: [409],
      },
      async ({ body }) => {
        const peer = await peers.create(body)
        const others = body.networks === undefined ? '' : await peers.outdatedNote(peer)
        return edited(Promise.resolve(peer), ({ name }) => `Peer ${name} created${others}`)
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a peer',
        description: 'Members that are left out stay. No other peer is disturbed.',
        access: 'admin',
        body: PeerUpdate,
        success: { status: 200, body: messageEnvelope(Peer) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const peer = await peers.update(params.id, body)
        const others = body.networks === undefined ? '' : await peers.outdatedNote(peer)
        return edited(Promise.resolve(peer), ({ name }) => `Peer ${name} changed${others}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a peer',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(PeerDeleted) },
        errors: [404],
      },
      ({ params }) => edited(peers.remove(params.id), ({ name }) => `Peer ${name} deleted`),
    ),
  ]
}

/** What was done to peers, for a sentence. */
const bulkVerbs: Record<PeerBulkChange['action'], string> = {
  enable: 'enabled',
  disable: 'disabled',
  delete: 'deleted',
  add_tag: 'tagged',
  remove_tag: 'without the tag now',
  set_expiry: 'changed',
  set_limit: 'changed',
}

function bulkRoute(peers: Peers, publish: Publish): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/peers/bulk',
      summary: 'Change many peers',
      description:
        'Up to 1,000 peers as one change of their tunnels: all of them or none. A 422 names those for which it cannot be, in `details.peers`, and their places among the ids.',
      access: 'admin',
      body: PeerBulkChange,
      success: { status: 200, body: messageEnvelope(PeerBulkChanged) },
    },
    async ({ body }) => {
      const count = await peers.changeMany(body)
      publish({ type: 'changed', collection: 'peers', id: null })
      return done({ peers: count }, `${count} ${count === 1 ? 'peer' : 'peers'} ${bulkVerbs[body.action]}`)
    },
  )
}

/** Bytes that a QR code of level M holds. */
const maxQrBytes = 2331

/** A PNG picture of a text, for a phone's WireGuard app to scan: black on white, with the quiet zone readers need. */
async function encodeQrCode(text: string): Promise<Buffer> {
  if (Buffer.byteLength(text) > maxQrBytes)
    throw conflict('networks', 'The configuration has too many networks and is too long for a QR code; use the file')
  const { toBuffer } = await import('qrcode')
  return toBuffer(text, { type: 'png', errorCorrectionLevel: 'M', margin: 4, scale: 8 })
}
