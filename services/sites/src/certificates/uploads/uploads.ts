import type { Kysely } from 'kysely'
import type { Sealer } from '@hearth/credentials'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import { conflict } from '../../problems.ts'
import { certificateFacts, namesOf } from '../certificate-facts.ts'
import type { CertificateReplacement, CertificateUpload, UploadedCertificate } from '../schema.ts'
import type { CertificateTables, UploadedCertificateRow } from '../tables.ts'
import { chainOf, readAuthority, readCertificate } from './read-pem.ts'
import * as store from './store.ts'
import { MaterialStore, type UploadedContent, type UploadedMaterial } from './uploaded-material.ts'

/** Thrown when the maximum number of certificates is reached. */
export class TooManyCertificates extends Error {
  override readonly name = 'TooManyCertificates'
}

/** Maximum number of certificates. */
export const maxUploads = 500

export interface UploadsDependencies {
  readonly db: Kysely<CertificateTables>
  readonly sealer: Sealer
  readonly clock: Clock
  /** Ids of the sites that use an uploaded certificate, as certificate or as authority. */
  readonly sitesUsing: (id: number) => Promise<readonly number[]>
  /** Orders of the certificates that the service ordered itself, by the id of the certificate. */
  readonly ordered: () => Promise<ReadonlyMap<number, string>>
  /** Folder where a Caddy of this machine and user reads certificates; without it configurations hold them. */
  readonly folder: string | undefined
  /** Called when configurations have to be compiled again. */
  readonly onReplaced: (id: number, siteIds: readonly number[]) => void
}

/** Opens the uploaded certificates. */
export async function openUploads(dependencies: UploadsDependencies): Promise<Uploads> {
  const uploads = new Uploads(dependencies)
  await uploads.refresh()
  return uploads
}

/** Certificates that people upload. Reading never shows a key. */
export class Uploads {
  readonly #dependencies: UploadsDependencies
  readonly #material: MaterialStore
  /** Ids are counted up, and files follow rows, so changes run one after the other. */
  readonly #changes = createKeyedQueue(20)

  constructor(dependencies: UploadsDependencies) {
    this.#dependencies = dependencies
    this.#material = new MaterialStore(dependencies.folder)
  }

  /** The certificates for the compiler of configurations; they follow every change. */
  get material(): UploadedMaterial {
    return this.#material
  }

  /** Reads changes by another process. */
  async refresh(): Promise<void> {
    const { db, sealer } = this.#dependencies
    await this.#material.begin((await store.listUploads(db)).map((row) => contentOf(row, sealer)))
  }

  async list(): Promise<UploadedCertificate[]> {
    const ordered = await this.#dependencies.ordered()
    return Promise.all((await store.listUploads(this.#dependencies.db)).map((row) => this.#view(row, ordered)))
  }

  /** The chain of a certificate, PEM; undefined when there is none. */
  async chain(id: number): Promise<string | undefined> {
    return (await store.findUpload(this.#dependencies.db, id))?.chain
  }

  async find(id: number): Promise<UploadedCertificate | undefined> {
    const row = await store.findUpload(this.#dependencies.db, id)
    return row === undefined ? undefined : this.#view(row)
  }

  /** Throws `UploadRejected` or `TooManyCertificates`. */
  add(upload: CertificateUpload): Promise<UploadedCertificate> {
    return this.#withLock(async () => this.#view(await this.#insert(upload)))
  }

  /** Stores a renewed certificate; sites that use it get it. Undefined when there is none. Throws `UploadRejected`. */
  replace(id: number, upload: CertificateReplacement): Promise<UploadedCertificate | undefined> {
    return this.#withLock(async () => {
      await this.#refuseOrdered(id)
      const renewed = await this.#renew(id, upload)
      return renewed && this.#view(renewed)
    })
  }

  /**
   * Stores a certificate that the service ordered, in place of the one with this id when there is one; returns its id. The same
   * certificate is stored once, however often this is called. Throws `UploadRejected` or `TooManyCertificates`.
   */
  install(id: number | null, ordered: Omit<CertificateUpload, 'kind'>): Promise<number> {
    const { db, clock } = this.#dependencies
    return this.#withLock(async () => {
      const { pem } = check({ ...ordered, kind: 'certificate' }, clock.now())
      const same = (await store.listUploads(db)).find((row) => row.kind === 'certificate' && row.chain === pem)
      if (same !== undefined) return same.id
      const renewed = id === null ? undefined : await this.#renew(id, ordered)
      return (renewed ?? (await this.#insert({ ...ordered, kind: 'certificate' }))).id
    })
  }

  /** Deletes a certificate; false when there is none. Throws a conflict while sites or an order use it. */
  remove(id: number): Promise<boolean> {
    const { db, clock, sitesUsing } = this.#dependencies
    return this.#withLock(async () => {
      if ((await store.findUpload(db, id)) === undefined) return false
      await this.#refuseOrdered(id)
      const siteIds = await sitesUsing(id)
      if (siteIds.length > 0) throw conflict(`Sites use the certificate: ${siteIds.join(', ')}`, 'certificate_in_use')
      await store.clearUpload(db, id, clock.now())
      await this.#material.drop(id)
      return true
    })
  }

  async #insert(upload: CertificateUpload): Promise<UploadedCertificateRow> {
    const { db, sealer, clock } = this.#dependencies
    const checked = check(upload, clock.now())
    if ((await store.countUploads(db)) >= maxUploads) throw new TooManyCertificates(`there are ${maxUploads} already`)
    const values = { name: upload.name, kind: upload.kind, chain: checked.pem, now: clock.now() }
    const row = await store.insertUpload(db, values, (id) => sealKey(sealer, id, checked.key))
    await this.#material.put(contentOf(row, sealer))
    return row
  }

  async #renew(id: number, upload: CertificateReplacement): Promise<UploadedCertificateRow | undefined> {
    const { db, sealer, clock, sitesUsing, onReplaced } = this.#dependencies
    const row = await store.findUpload(db, id)
    if (row === undefined) return undefined
    const { pem, key } = check({ ...upload, kind: row.kind }, clock.now())
    const values = { id, chain: pem, key_sealed: sealKey(sealer, id, key), changed_at: clock.now() }
    if (!(await store.replaceUpload(db, values))) return undefined
    const renewed = { ...row, ...values }
    await this.#material.put(contentOf(renewed, sealer))
    const siteIds = await sitesUsing(id)
    if (siteIds.length > 0) onReplaced(id, siteIds)
    return renewed
  }

  async #refuseOrdered(id: number): Promise<void> {
    if ((await this.#dependencies.ordered()).has(id))
      throw conflict('The certificate was ordered here; change or delete its order', 'certificate_ordered')
  }

  #withLock<T>(change: () => Promise<T>): Promise<T> {
    return this.#changes.run('all', change)
  }

  async #view(row: UploadedCertificateRow, orders?: ReadonlyMap<number, string>): Promise<UploadedCertificate> {
    const ordered = orders ?? (await this.#dependencies.ordered())
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
      not_before: new Date(notBefore).toISOString(),
      not_after: new Date(notAfter).toISOString(),
      fingerprint_sha256: first.fingerprint256.replaceAll(':', '').toLowerCase(),
      key: `${keyType} ${keyBits}`,
      chain_length: chain.length,
      order_id: ordered.get(row.id) ?? null,
      used_by: [...(await this.#dependencies.sitesUsing(row.id))],
      created_at: new Date(row.created_at).toISOString(),
      changed_at: new Date(row.changed_at).toISOString(),
    }
  }
}

const contentOf = ({ id, kind, chain, key_sealed }: UploadedCertificateRow, sealer: Sealer): UploadedContent => ({
  id,
  kind,
  chain,
  key: key_sealed === '' ? '' : sealer.open(key_sealed, sealContext(id)),
})

function check(upload: Omit<CertificateUpload, 'name'>, now: number): { pem: string; key: string } {
  const { kind, certificate, private_key: privateKey } = upload
  return kind === 'authority'
    ? { ...readAuthority(certificate, now), key: '' }
    : readCertificate({ certificate, privateKey }, now)
}

const sealContext = (id: number): string => `uploaded_certificates.key_sealed:${id}`

const sealKey = (sealer: Sealer, id: number, key: string): string =>
  key === '' ? '' : sealer.seal(key, sealContext(id))
