import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '@hearth/runtime'
import type { CertificateSource } from '../../caddy/desired-state.ts'
import { chainOf } from './read-pem.ts'

/** Uploaded certificates as configurations need them. Access is synchronous: they are in memory or in files. */
export type UploadedMaterial = Pick<MaterialStore, 'certificate' | 'authority' | 'certificateIds' | 'authorityIds'>

/** An uploaded certificate, opened. */
export interface UploadedContent {
  readonly id: number
  readonly kind: 'certificate' | 'authority'
  /** PEM; the key is empty for an authority. */
  readonly chain: string
  readonly key: string
}

/**
 * The uploaded material, and its changes. With a folder, certificates are files in it, 0600, named by their content; a renewed
 * one has other names, so that the configuration changes with it. Configurations are stored and shown, and hold no key then.
 */
export class MaterialStore {
  readonly #folder: string | undefined
  readonly #certificates = new Map<number, CertificateSource>()
  readonly #authorities = new Map<number, readonly string[]>()

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** Undefined when there is none, or it is an authority. */
  certificate(id: number): CertificateSource | undefined {
    return this.#certificates.get(id)
  }

  /** The certificates of an authority, DER in base64. */
  authority(id: number): readonly string[] | undefined {
    return this.#authorities.get(id)
  }

  certificateIds(): ReadonlySet<number> {
    return new Set(this.#certificates.keys())
  }

  authorityIds(): ReadonlySet<number> {
    return new Set(this.#authorities.keys())
  }

  /** Puts all certificates, and removes files of those that are gone. */
  async begin(contents: readonly UploadedContent[]): Promise<void> {
    for (const content of contents) await this.put(content)
    if (this.#folder !== undefined) await sweep(this.#folder, [...this.#certificates.values()])
  }

  async put({ id, kind, chain, key }: UploadedContent): Promise<void> {
    if (kind === 'authority') {
      const ders = chainOf(chain).map(({ raw }) => raw.toString('base64'))
      this.#authorities.set(id, ders)
      return
    }
    const pem = { form: 'pem', certificate: chain, key } as const
    this.#certificates.set(id, this.#folder === undefined ? pem : await asFiles(this.#folder, id, pem))
  }

  async drop(id: number): Promise<void> {
    const source = this.#certificates.get(id)
    this.#certificates.delete(id)
    this.#authorities.delete(id)
    if (source?.form !== 'files') return
    await rm(source.certificate, { force: true })
    await rm(source.key, { force: true })
  }
}

async function asFiles(
  folder: string,
  id: number,
  { certificate, key }: { certificate: string; key: string },
): Promise<CertificateSource> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const mark = createHash('sha256').update(certificate).update(key).digest('hex').slice(0, 16)
  const source = { certificate: join(folder, `${id}-${mark}.crt`), key: join(folder, `${id}-${mark}.key`) }
  await writeFileAtomic(source.key, key)
  await writeFileAtomic(source.certificate, certificate)
  return { form: 'files', ...source }
}

async function sweep(folder: string, sources: readonly CertificateSource[]): Promise<void> {
  const kept = new Set(sources.flatMap(({ certificate, key }) => [certificate, key]))
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (!kept.has(join(folder, name))) await rm(join(folder, name), { force: true })
}
