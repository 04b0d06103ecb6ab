import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseJson, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'
import { resolverFile } from '../../dns/resolver-files.ts'
import { type CutName, type DnsFile, DnsManifest } from '../../nodes/dns/manifest.ts'

/** Name of the folder of the resolver in the data directory of a node. */
export const dnsFolderName = 'dns'

/** What this node was told last to work from; no files when its resolver is to be off, which leaves those on the disk. */
const StoredManifest = z.object({ revision: z.string(), files: DnsManifest.shape.files })
export type StoredManifest = z.infer<typeof StoredManifest>

const [manifestName, incomingName, listsName] = ['manifest.json', 'incoming', 'lists']

/** The files on the disk that the resolver of this node works from. */
export class DnsFolder {
  readonly path: string
  /** Hashes of files whose content was checked, or put there, by this process. */
  readonly #checked = new Map<string, string>()

  constructor(directory: string) {
    this.path = join(directory, dnsFolderName)
  }

  /** True when there is something that a resolver can start from. */
  get isUsable(): boolean {
    return existsSync(join(this.path, resolverFile.settings))
  }

  /** Reads what this node was told last; undefined when that is not known. */
  async read(): Promise<StoredManifest | undefined> {
    const text = await readFile(join(this.path, manifestName), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : StoredManifest.safeParse(parseJson(text)).data
  }

  /** Returns those of these files that are not there, or are damaged. */
  async missing(files: readonly DnsFile[]): Promise<DnsFile[]> {
    const missing: DnsFile[] = []
    for (const file of files) if (!(await this.#has(file))) missing.push(file)
    return missing
  }

  async #has({ name, sha256 }: DnsFile): Promise<boolean> {
    if (this.#checked.get(name) === sha256) return true
    const found = await hashOf(join(this.path, name))
    if (found !== sha256) return false
    this.#checked.set(name, found)
    return true
  }

  /** Makes room for files that are to be fetched, and deletes what was fetched before and is none of them. */
  async expect(files: readonly DnsFile[]): Promise<void> {
    for (const folder of [incomingName, listsName])
      await mkdir(join(this.path, folder), { recursive: true, mode: 0o700 })
    const wanted = new Set(files.map(incomingNameOf))
    for (const name of await readdir(join(this.path, incomingName)))
      if (!wanted.has(name)) await rm(join(this.path, incomingName, name), { recursive: true, force: true })
  }

  /** Has files fetched beside those in use. After an error, those that came whole are not fetched again by the next attempt. */
  async fetch(files: readonly DnsFile[], fetch: (file: DnsFile, path: string) => Promise<void>): Promise<void> {
    for (const file of files) {
      const path = this.#incoming(file)
      if ((await hashOf(path)) !== file.sha256) await fetch(file, path)
    }
  }

  /** True when there is a file of this name, whatever is in it. */
  holds({ name }: DnsFile): boolean {
    return existsSync(join(this.path, name))
  }

  /**
   * Puts files that were fetched in their places, and the manifest once all that it names are there. After an error some are there,
   * and others are not.
   */
  async place(files: readonly DnsFile[], next?: StoredManifest): Promise<void> {
    for (const file of files.toSorted((a, b) => placeOf(a) - placeOf(b))) {
      await rename(this.#incoming(file), join(this.path, file.name))
      this.#checked.set(file.name, file.sha256)
    }
    if (next !== undefined) await writeFileAtomic(join(this.path, manifestName), JSON.stringify(next))
  }

  /** Where files are while they are fetched. */
  incoming(files: readonly DnsFile[]): Set<string> {
    return new Set(files.map((file) => this.#incoming(file)))
  }

  #incoming(file: DnsFile): string {
    return join(this.path, incomingName, incomingNameOf(file))
  }

  /** Deletes the texts of lists that are not among these files. */
  async removeStrays(files: readonly DnsFile[]): Promise<void> {
    const named = new Set(files.map(({ name }) => name))
    for (const file of await readdir(join(this.path, listsName)).catch(() => [])) {
      const name = `${listsName}/${file}`
      if (named.has(name)) continue
      this.#checked.delete(name)
      await rm(join(this.path, name), { force: true })
    }
  }
}

/** Two files may have the same content. */
const incomingNameOf = ({ name, sha256 }: DnsFile): string => `${basename(name)}.${sha256}`

/**
 * The order in which files are put in their places. A resolver that is started in between has what is named before what names it,
 * and rules before those whom they hold for; without the last file, the settings, none is started.
 */
const order = (['lists', 'zones', 'records', 'rules', 'profiles', 'names', 'clients', 'settings'] as const).map(
  (name: CutName): string => resolverFile[name],
)

/** Texts of lists are before all of them. */
const placeOf = ({ name }: DnsFile): number => order.indexOf(name)

/** SHA-256 of a file, hex; undefined when it cannot be read. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  return pipeline(createReadStream(path), hash).then(
    () => hash.digest('hex'),
    () => undefined,
  )
}
