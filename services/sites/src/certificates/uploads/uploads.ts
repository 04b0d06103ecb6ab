import type { Kysely } from 'kysely'
import type { Sealer } from '@hearth/credentials'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import { certificateFacts, namesOf } from '../certificate-facts.ts'
import type { Tables } from '../../database/tables.ts'
import type { UploadedCertificateRow } from '../tables.ts'
import { chainOf, readAuthority, readCertificate } from './read-pem.ts'
import * as store from './store.ts'
import {
  createUploadedMaterial,
  type MaterialKeeper,
  type UploadedContent,
  type UploadedMaterial,
} from './uploaded-material.ts'

/** An uploaded certificate as it may be shown: never with its key. Moments are milliseconds. */
export interface UploadedCertificate {
  readonly id: number
  readonly name: string
  readonly kind: UploadedCertificateRow['kind']
  readonly subject: string
  readonly issuer: string
  readonly names: readonly string[]
  readonly notBefore: number
  readonly notAfter: number
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string
  /** As `rsa 2048`. */
  readonly key: string
  /** Certificates in the chain. */
  readonly chainLength: number
  /** Sites that use it. */
  readonly usedBy: readonly number[]
  readonly createdAt: number
  readonly changedAt: number
}

/** An upload, PEM. */
export interface Upload {
  readonly name: string
  readonly kind: UploadedCertificateRow['kind']
  readonly certificate: string
  /** Only for a certificate, not for an authority. */
  readonly privateKey: string
}

/** A site uses the certificate; it cannot go. */
export class CertificateInUse extends Error {
  override readonly name = 'CertificateInUse'
  readonly siteIds: readonly number[]

  constructor(siteIds: readonly number[]) {
    super(`sites use the certificate: ${siteIds.join(', ')}`)
    this.siteIds = siteIds
  }
}

/** Thrown when the maximum number of certificates is reached. */
export class TooManyCertificates extends Error {
  override readonly name = 'TooManyCertificates'
}

/** Most that are kept. */
export const mostUploads = 500

/** Certificates people bring themselves. */
export interface Uploads {
  list(): Promise<UploadedCertificate[]>
  find(id: number): Promise<UploadedCertificate | undefined>
  /** Throws `UploadRejected` or `TooManyCertificates`. */
  add(upload: Upload): Promise<UploadedCertificate>
  /** Puts a renewed one in place; sites that use it get it. Undefined when there is none. Throws `UploadRejected`. */
  replace(id: number, upload: Pick<Upload, 'certificate' | 'privateKey'>): Promise<UploadedCertificate | undefined>
  /** False when there is none. Throws `CertificateInUse`. */
  remove(id: number): Promise<boolean>
  /** Takes note of what another process has changed. */
  refresh(): Promise<void>
  /** For whoever compiles configurations; it follows every change. */
  readonly material: UploadedMaterial
}

export interface UploadsParts {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  /** Ids of the sites that use an uploaded certificate, as certificate or as authority. */
  readonly sitesUsing: (id: number) => Promise<readonly number[]>
  /** Folder where a Caddy of this machine and user reads certificates; without it configurations hold them. */
  readonly folder: string | undefined
  /** Told when what runs has to be compiled anew. */
  readonly onReplaced: (id: number, siteIds: readonly number[]) => void
}

/** Opens what was uploaded before. */
export async function openUploads(parts: UploadsParts): Promise<Uploads> {
  const material = createUploadedMaterial(parts.folder)
  const refresh = async () =>
    await material.begin((await store.listUploads(parts.db)).map((row) => contentOf(row, parts.sealer)))
  await refresh()
  const view: View = async (row) => ({ ...describe(row), usedBy: await parts.sitesUsing(row.id) })
  return { material, refresh, ...readingOf(parts, view), ...changesOf(parts, { view, material }) }
}

type View = (row: UploadedCertificateRow) => Promise<UploadedCertificate>

interface Surroundings {
  readonly view: View
  readonly material: MaterialKeeper
}

function readingOf({ db }: UploadsParts, view: View): Pick<Uploads, 'list' | 'find'> {
  return {
    async list() {
      return Promise.all((await store.listUploads(db)).map(view))
    },
    async find(id) {
      const row = await store.findUpload(db, id)
      return row === undefined ? undefined : view(row)
    },
  }
}

function changesOf(parts: UploadsParts, around: Surroundings): Pick<Uploads, 'add' | 'replace' | 'remove'> {
  const { db, sealer, clock, sitesUsing } = parts
  // Ids are counted up, and files follow rows, so changes take turns.
  const changes = createKeyedQueue(20)
  const inTurn = <T>(change: () => Promise<T>) => changes.run('all', change)
  return {
    add: (upload) =>
      inTurn(async () => {
        const checked = check(upload, clock.now())
        if ((await store.countUploads(db)) >= mostUploads)
          throw new TooManyCertificates(`there are ${mostUploads} already`)
        const values = { name: upload.name, kind: upload.kind, chain: checked.pem, now: clock.now() }
        const row = await store.insertUpload(db, values, (id) => sealKey(sealer, id, checked.key))
        await around.material.put(contentOf(row, sealer))
        return around.view(row)
      }),
    replace: (id, upload) => inTurn(() => replace(parts, around, { id, upload })),
    remove: (id) =>
      inTurn(async () => {
        if ((await store.findUpload(db, id)) === undefined) return false
        const siteIds = await sitesUsing(id)
        if (siteIds.length > 0) throw new CertificateInUse(siteIds)
        await store.clearUpload(db, id, clock.now())
        await around.material.drop(id)
        return true
      }),
  }
}

async function replace(
  { db, sealer, clock, sitesUsing, onReplaced }: UploadsParts,
  { view, material }: Surroundings,
  { id, upload }: { id: number; upload: Pick<Upload, 'certificate' | 'privateKey'> },
): Promise<UploadedCertificate | undefined> {
  const row = await store.findUpload(db, id)
  if (row === undefined) return undefined
  const { pem, key } = check({ ...upload, kind: row.kind }, clock.now())
  const values = { id, chain: pem, key_sealed: sealKey(sealer, id, key), changed_at: clock.now() }
  if (!(await store.replaceUpload(db, values))) return undefined
  const renewed = { ...row, ...values }
  await material.put(contentOf(renewed, sealer))
  const siteIds = await sitesUsing(id)
  if (siteIds.length > 0) onReplaced(id, siteIds)
  return view(renewed)
}

const contentOf = ({ id, kind, chain, key_sealed }: UploadedCertificateRow, sealer: Sealer): UploadedContent => ({
  id,
  kind,
  chain,
  key: key_sealed === '' ? '' : sealer.open(key_sealed, sealedPlace(id)),
})

function check({ kind, certificate, privateKey }: Omit<Upload, 'name'>, now: number): { pem: string; key: string } {
  return kind === 'authority'
    ? { ...readAuthority(certificate, now), key: '' }
    : readCertificate({ certificate, privateKey }, now)
}

const sealedPlace = (id: number): string => `uploaded_certificates.key_sealed:${id}`

const sealKey = (sealer: Sealer, id: number, key: string): string =>
  key === '' ? '' : sealer.seal(key, sealedPlace(id))

function describe(row: UploadedCertificateRow): Omit<UploadedCertificate, 'usedBy'> {
  const chain = chainOf(row.chain)
  const [first] = chain
  if (first === undefined) throw new Error(`uploaded certificate ${row.id} has no content`)
  const { subject, issuer, notBefore, notAfter, keyType, keyBits } = certificateFacts(first)
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    subject,
    issuer,
    names: namesOf(first),
    notBefore,
    notAfter,
    fingerprint: first.fingerprint256.replaceAll(':', '').toLowerCase(),
    key: `${keyType} ${keyBits}`,
    chainLength: chain.length,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  }
}
