import type { Kysely } from 'kysely'
import { X509Certificate } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import { certificateFacts, namesOf } from '../certificate-facts.ts'
import type { Tables } from '../../database/tables.ts'
import type { UploadedCertificateRow } from '../tables.ts'
import { readAuthority, readCertificate } from './read-pem.ts'
import * as store from './store.ts'

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

/** What is uploaded, PEM. */
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

/** So many are there already that another is refused. */
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
  /** For whoever compiles a configuration: chain and key, PEM; undefined when there is none, or it is an authority. */
  pemOf(id: number): Promise<{ certificate: string; key: string } | undefined>
  /** For whoever compiles a configuration: the certificates of an authority, DER in base64. */
  authorityOf(id: number): Promise<string[] | undefined>
}

export interface UploadsParts {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  /** Ids of the sites that use an uploaded certificate, as certificate or as authority. */
  readonly sitesUsing: (id: number) => Promise<readonly number[]>
  /** Told when what runs has to be compiled anew. */
  readonly onReplaced: (id: number, siteIds: readonly number[]) => void
}

export function createUploads(parts: UploadsParts): Uploads {
  const view: View = async (row) => ({ ...describe(row), usedBy: await parts.sitesUsing(row.id) })
  return { ...readingOf(parts, view), ...changesOf(parts, view) }
}

type View = (row: UploadedCertificateRow) => Promise<UploadedCertificate>

function readingOf({ db, sealer }: UploadsParts, view: View): Pick<Uploads, 'list' | 'find' | 'pemOf' | 'authorityOf'> {
  return {
    async list() {
      return Promise.all((await store.listUploads(db)).map(view))
    },
    async find(id) {
      const row = await store.findUpload(db, id)
      return row === undefined ? undefined : view(row)
    },
    async pemOf(id) {
      const row = await store.findUpload(db, id)
      if (row === undefined || row.kind !== 'certificate') return undefined
      return { certificate: row.chain, key: sealer.open(row.key_sealed, sealedPlace(id)) }
    },
    async authorityOf(id) {
      const row = await store.findUpload(db, id)
      if (row === undefined || row.kind !== 'authority') return undefined
      return chainOf(row.chain).map(({ raw }) => raw.toString('base64'))
    },
  }
}

function changesOf(parts: UploadsParts, view: View): Pick<Uploads, 'add' | 'replace' | 'remove'> {
  const { db, sealer, clock, sitesUsing } = parts
  // Ids are counted up, so additions take turns.
  const additions = createKeyedQueue(20)
  return {
    async add(upload) {
      const checked = check(upload, clock.now())
      if ((await store.countUploads(db)) >= mostUploads)
        throw new TooManyCertificates(`there are ${mostUploads} already`)
      const values = { name: upload.name, kind: upload.kind, chain: checked.pem, now: clock.now() }
      const insert = () => store.insertUpload(db, values, (id) => sealKey(sealer, id, checked.key))
      return view(await additions.run('all', insert))
    },
    replace: (id, upload) => replace(parts, { id, upload, view }),
    async remove(id) {
      if ((await store.findUpload(db, id)) === undefined) return false
      const siteIds = await sitesUsing(id)
      if (siteIds.length > 0) throw new CertificateInUse(siteIds)
      await store.clearUpload(db, id, clock.now())
      return true
    },
  }
}

async function replace(
  { db, sealer, clock, sitesUsing, onReplaced }: UploadsParts,
  {
    id,
    upload,
    view,
  }: {
    id: number
    upload: Pick<Upload, 'certificate' | 'privateKey'>
    view: (row: UploadedCertificateRow) => Promise<UploadedCertificate>
  },
): Promise<UploadedCertificate | undefined> {
  const row = await store.findUpload(db, id)
  if (row === undefined) return undefined
  const { pem, key } = check({ ...upload, kind: row.kind }, clock.now())
  const values = { id, chain: pem, key_sealed: sealKey(sealer, id, key), changed_at: clock.now() }
  if (!(await store.replaceUpload(db, values))) return undefined
  const siteIds = await sitesUsing(id)
  if (siteIds.length > 0) onReplaced(id, siteIds)
  return view({ ...row, ...values })
}

function check({ kind, certificate, privateKey }: Omit<Upload, 'name'>, now: number): { pem: string; key: string } {
  return kind === 'authority'
    ? { ...readAuthority(certificate, now), key: '' }
    : readCertificate({ certificate, privateKey }, now)
}

const sealedPlace = (id: number): string => `uploaded_certificates.key_sealed:${id}`

const sealKey = (sealer: Sealer, id: number, key: string): string =>
  key === '' ? '' : sealer.seal(key, sealedPlace(id))

const chainOf = (pem: string): X509Certificate[] =>
  pem
    .split(/(?=-----BEGIN CERTIFICATE-----)/)
    .filter((block) => block.trim() !== '')
    .map((block) => new X509Certificate(block))

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
