import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '@hearth/runtime'
import { chainOf } from './read-pem.ts'

/** A certificate with its key as a configuration names it: the texts, or files on this machine. */
export type UploadedSource =
  | { readonly form: 'pem'; readonly certificate: string; readonly key: string }
  | { readonly form: 'files'; readonly certificate: string; readonly key: string }

/** Uploaded certificates as configurations need them. Nothing waits: they are in memory, or in files already. */
export interface UploadedMaterial {
  /** Undefined when there is none, or it is an authority. */
  certificate(id: number): UploadedSource | undefined
  /** The certificates of an authority, DER in base64. */
  authority(id: number): readonly string[] | undefined
  certificateIds(): ReadonlySet<number>
  authorityIds(): ReadonlySet<number>
}

/** An uploaded certificate, opened. */
export interface UploadedContent {
  readonly id: number
  readonly kind: 'certificate' | 'authority'
  /** PEM; the key is empty for an authority. */
  readonly chain: string
  readonly key: string
}

/** The same, for whoever changes it. */
export interface MaterialKeeper extends UploadedMaterial {
  /** Takes over everything there is, and removes files of what is not there any more. */
  begin(contents: readonly UploadedContent[]): Promise<void>
  put(content: UploadedContent): Promise<void>
  drop(id: number): Promise<void>
}

/**
 * With a folder, certificates are files in it, 0600, under names of our own; a renewed one has other names, so that the
 * configuration changes with it. Configurations are kept and shown, and hold no key then.
 */
export function createUploadedMaterial(folder: string | undefined): MaterialKeeper {
  const certificates = new Map<number, UploadedSource>()
  const authorities = new Map<number, readonly string[]>()
  return {
    certificate: (id) => certificates.get(id),
    authority: (id) => authorities.get(id),
    certificateIds: () => new Set(certificates.keys()),
    authorityIds: () => new Set(authorities.keys()),
    async begin(contents) {
      for (const content of contents) await this.put(content)
      if (folder !== undefined) await sweep(folder, [...certificates.values()])
    },
    async put({ id, kind, chain, key }) {
      if (kind === 'authority') {
        const ders = chainOf(chain).map(({ raw }) => raw.toString('base64'))
        authorities.set(id, ders)
        return
      }
      const pem = { form: 'pem', certificate: chain, key } as const
      certificates.set(id, folder === undefined ? pem : await asFiles(folder, id, pem))
    },
    async drop(id) {
      const source = certificates.get(id)
      certificates.delete(id)
      authorities.delete(id)
      if (source?.form !== 'files') return
      await rm(source.certificate, { force: true })
      await rm(source.key, { force: true })
    },
  }
}

async function asFiles(
  folder: string,
  id: number,
  { certificate, key }: { certificate: string; key: string },
): Promise<UploadedSource> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const mark = createHash('sha256').update(certificate).update(key).digest('hex').slice(0, 16)
  const source = { certificate: join(folder, `${id}-${mark}.crt`), key: join(folder, `${id}-${mark}.key`) }
  await writeFileAtomic(source.key, key)
  await writeFileAtomic(source.certificate, certificate)
  return { form: 'files', ...source }
}

async function sweep(folder: string, sources: readonly UploadedSource[]): Promise<void> {
  const kept = new Set(sources.flatMap(({ certificate, key }) => [certificate, key]))
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (!kept.has(join(folder, name))) await rm(join(folder, name), { force: true })
}
