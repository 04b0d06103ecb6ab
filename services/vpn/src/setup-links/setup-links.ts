import { randomUUIDv7 } from 'node:crypto'
import { createSessionKey, hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import { configurationFileName } from '../peers/file-name.ts'
import { conflict, notFound, Problem } from '../problems.ts'
import type { SetupLinkRow, Tables } from '../tables.ts'
import type { DeviceSetup, SetupLink, SetupLinkCreate, SetupLinkCreated } from './schema.ts'
import * as store from './store.ts'

const hour = 3_600_000

/** Links of one peer that may wait to be used. */
const maxOpen = 10
/** Links of one peer that are over and still listed. */
const maxOver = 20

/** Page that redeems a link. The value follows behind `#`, which no browser sends to a server. */
const setupPage = '/setup'

export interface SetupLinkDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Address that users see; undefined to use that of the request. */
  readonly publicUrl: string | undefined
  /** The text of a peer's configuration, and of that for the standby where there is one; secrets. */
  readonly configurations: (
    peerId: string,
    host: string,
  ) => Promise<{ name: string; text: string; standby: string | null }>
  /** Called when a device has used a link. */
  readonly onUsed: (use: { peerId: string; name: string; address: string }) => void
}

/** Who makes a link, and the origin of the request, for a service without a public URL. */
export interface LinkContext {
  readonly by: Pick<Caller, 'username'>
  readonly origin: string
}

/** A redeemed link: what the device gets, and the peer it belongs to. */
export interface Redeemed {
  readonly peerId: string
  readonly setup: DeviceSetup
}

/** Links that hand a device its configuration once. Only hashes of their values are stored. */
export class SetupLinks {
  readonly #dependencies: SetupLinkDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: SetupLinkDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(peerId: string): Promise<SetupLink[]> {
    await this.#peer(peerId)
    const now = this.#dependencies.clock.now()
    return (await store.listSetupLinkRows(this.#db, peerId)).map((row) => linkOfRow(row, now))
  }

  /** Makes a link for a peer. */
  async create(
    peerId: string,
    input: SetupLinkCreate,
    context: LinkContext,
  ): Promise<{ peer: string; link: SetupLinkCreated }> {
    const { name, private_key } = await this.#peer(peerId)
    if (private_key === null) throw conflict('public_key', keyIsElsewhere(name), { code: 'no_private_key' })
    const { row, url } = this.#newLink(peerId, input, context)
    await this.#db.transaction().execute((trx) => insertWithin(trx, row))
    return { peer: name, link: { ...linkOfRow(row, row.created_at), url } }
  }

  /** Makes a link for each of these peers that has its private key here. Returns their URLs by the ids of the peers. */
  async createMany(
    peerIds: readonly string[],
    input: SetupLinkCreate,
    context: LinkContext,
  ): Promise<ReadonlyMap<string, string>> {
    const ids = await store.peersWithKeys(this.#db, peerIds)
    const links = ids.map((id) => this.#newLink(id, input, context))
    await store.insertSetupLinkRows(
      this.#db,
      links.map(({ row }) => row),
    )
    return new Map(links.map(({ row, url }) => [row.peer_id, url]))
  }

  #newLink(peerId: string, input: SetupLinkCreate, context: LinkContext): { row: SetupLinkRow; url: string } {
    const { clock, publicUrl } = this.#dependencies
    const now = clock.now()
    const value = createSessionKey()
    const row: SetupLinkRow = {
      id: randomUUIDv7(),
      hash: hashToken(value),
      peer_id: peerId,
      created_at: now,
      created_by: context.by.username,
      expires_at: now + input.expires_in_hours * hour,
      revoked_at: null,
      used_at: null,
      used_from: null,
    }
    const base = publicUrl?.replace(/\/+$/, '') ?? context.origin
    return { row, url: `${base}${setupPage}#${value}` }
  }

  /** Revokes a link; one that is over already stays as it is. */
  async revoke(id: string): Promise<{ peer: string; peerId: string; link: SetupLink }> {
    const now = this.#dependencies.clock.now()
    await store.revokeSetupLink(this.#db, id, now)
    const row = await store.findSetupLinkRow(this.#db, id)
    if (row === undefined) throw notFound(`set-up link ${id}`)
    return { peer: row.peer_name, peerId: row.peer_id, link: linkOfRow(row, now) }
  }

  /** Exchanges the value of a link for the configuration of its peer. It works once; every other value gets the same answer. */
  async redeem(value: string, from: { readonly address: string; readonly host: string }): Promise<Redeemed> {
    const { clock, configurations, onUsed } = this.#dependencies
    const now = clock.now()
    const link = await store.findWorkingLink(this.#db, hashToken(value), now)
    if (link === undefined) throw linkIsOver()
    // Read first: a configuration that cannot be made does not use the link up.
    const { name, text, standby } = await configurations(link.peer_id, from.host)
    const isFirst = await store.useSetupLink(this.#db, link.id, { used_at: now, used_from: from.address })
    if (!isFirst) throw linkIsOver()
    onUsed({ peerId: link.peer_id, name, address: from.address })
    return {
      peerId: link.peer_id,
      setup: {
        name,
        file_name: configurationFileName(name),
        configuration: text,
        standby: standby === null ? null : { file_name: configurationFileName(name, true), configuration: standby },
      },
    }
  }

  async #peer(id: string) {
    const peer = await store.findLinkedPeer(this.#db, id)
    if (peer === undefined) throw notFound(`peer ${id}`)
    return peer
  }
}

const linkIsOver = () => new Problem('not-found', 'This link does not work any more. Ask for a new one.')

const keyIsElsewhere = (name: string) =>
  `The private key of ${name} is on the device and not here, so a link could not hand it over`

/** Adds a link when few enough wait to be used, and removes the oldest of those that are over. */
async function insertWithin(trx: Kysely<Tables>, row: SetupLinkRow): Promise<void> {
  const others = await store.listSetupLinkRows(trx, row.peer_id)
  const isOpen = (other: SetupLinkRow) => linkOfRow(other, row.created_at).status === 'open'
  if (others.filter(isOpen).length >= maxOpen)
    throw new Problem('conflict', `${maxOpen} set-up links of this peer are open; revoke one first`)
  const over = others.filter((other) => !isOpen(other)).slice(maxOver)
  await store.deleteSetupLinkRows(
    trx,
    over.map(({ id }) => id),
  )
  await store.insertSetupLinkRows(trx, [row])
}

function linkOfRow(row: SetupLinkRow, now: number): SetupLink {
  return {
    id: row.id,
    status: statusOf(row, now),
    created_at: new Date(row.created_at).toISOString(),
    created_by: row.created_by,
    expires_at: new Date(row.expires_at).toISOString(),
    used_at: toIsoString(row.used_at),
    used_from: row.used_from,
  }
}

function statusOf(row: SetupLinkRow, now: number): SetupLink['status'] {
  if (row.used_at !== null) return 'used'
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at <= now ? 'expired' : 'open'
}
