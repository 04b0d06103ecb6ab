import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { ResolverClient } from '../../dns/resolver-files.ts'
import { asksGateway, gatewaysOf } from '../../interfaces/desired-devices.ts'
import { interfaceRowsOn } from '../../interfaces/store.ts'
import { textPath } from '../../lists/compile.ts'
import { notFound, Problem } from '../../problems.ts'
import { readResolverFile } from '../../resolver/stored-files.ts'
import type { Tables } from '../../tables.ts'
import type { StateWaiters } from '../state-waiters.ts'
import { waitForOther } from '../wait-for-other.ts'
import { type CutFiles, cutFiles, type HomeFiles } from './cut-files.ts'
import { cutNames, type CutName, type DnsAnswer, type DnsFile, type DnsManifest, listFileName } from './manifest.ts'

export interface NodeDnsDependencies {
  readonly db: Kysely<Tables>
  /** Folder of the files that the resolver of the service works from. */
  readonly directory: string
  /** Peers that may query somewhere, as they are now: their file follows a moment later. */
  readonly clients: () => Iterable<ResolverClient>
  readonly waiters: StateWaiters
}

/** Clients that changed: the gateways that answer them, and whether they are found by other names. */
interface ChangedClients {
  readonly gateways: ReadonlySet<string>
  readonly areNamesOthers: boolean
}

/** A file on its way to a node. */
export interface OutgoingFile {
  readonly size: number
  readonly content: Readable
}

/** A node that asks for its files; `logs` when it sends the queries that it logs. */
interface AskingNode {
  readonly id: string
  readonly logs: boolean
}

type Digest = Pick<DnsFile, 'sha256' | 'size'>

/** What the resolvers of nodes work from. It is cut from the files of the resolver here whenever a node asks; nothing of it is stored. */
export class NodeDns {
  readonly #dependencies: NodeDnsDependencies
  /** The files that all cuts are made from, read once after each change. */
  #home: Promise<Omit<HomeFiles, 'clients'>> | undefined
  /** Of what several nodes get alike, so that it is written out once. */
  readonly #digests = new WeakMap<object, Digest>()
  /** What each node was told last: it gets these files and no others. */
  readonly #manifests = new Map<string, DnsManifest>()
  /** What of the peers each node was told. */
  readonly #told = new Map<string, { readonly gateways: readonly string[]; readonly hasNames: boolean }>()
  /** Nodes that send the queries that they log. */
  readonly #logging = new Set<string>()

  constructor(dependencies: NodeDnsDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes over that a file of the resolver changed, or peers did: only nodes that get something else then are woken. */
  changed(scope?: ChangedClients): void {
    if (scope === undefined) this.#home = undefined
    for (const nodeId of this.#manifests.keys())
      if (scope === undefined || this.#concerns(nodeId, scope)) this.#dependencies.waiters.changed(nodeId)
  }

  #concerns(nodeId: string, { gateways, areNamesOthers }: ChangedClients): boolean {
    const told = this.#told.get(nodeId)
    // A node without interfaces that need its resolver is woken when it gets one.
    if (told === undefined) return false
    return (areNamesOthers && told.hasNames) || told.gateways.some((gateway) => gateways.has(gateway))
  }

  /** Forgets a node that was removed. */
  forget(nodeId: string): void {
    this.#manifests.delete(nodeId)
    this.#logging.delete(nodeId)
    this.#told.delete(nodeId)
    this.#dependencies.waiters.forget(nodeId)
  }

  /** Answers a node that has the manifest of this revision: at once when it is to have another, or after a wait. */
  async answer({ id: nodeId, logs }: AskingNode, known: string | null, signal: AbortSignal): Promise<DnsAnswer> {
    if (logs) this.#logging.add(nodeId)
    else this.#logging.delete(nodeId)
    const found = await waitForOther(this.#dependencies.waiters, { nodeId, known, signal }, async () => {
      const manifest = await this.read(nodeId)
      return { revision: sha256(JSON.stringify(manifest)), manifest }
    })
    return found.revision === known ? { revision: known, manifest: null } : found
  }

  /** Reads what the resolver of a node is to work from. */
  async read(nodeId: string): Promise<DnsManifest> {
    const cut = await this.#cut(nodeId)
    const manifest = { files: cut === undefined ? [] : await this.#filesOf(cut) }
    this.#manifests.set(nodeId, manifest)
    return manifest
  }

  /** Opens a file that the manifest of a node names, by its hash. Throws a `Problem` for every other. */
  async open(nodeId: string, hash: string): Promise<OutgoingFile> {
    const { files } = this.#manifests.get(nodeId) ?? (await this.read(nodeId))
    const file = files.find((one) => one.sha256 === hash)
    if (file === undefined) throw notFound('file of this node')
    const name = cutNames.find((one) => `${one}.json` === file.name)
    return name === undefined ? this.#openText(file) : this.#openCut(nodeId, name, file)
  }

  async #openCut(nodeId: string, name: CutName, file: DnsFile): Promise<OutgoingFile> {
    const cut = await this.#cut(nodeId)
    const content = Buffer.from(JSON.stringify(cut?.[name] ?? null))
    if (sha256(content) !== file.sha256) throw isOver()
    return { size: content.length, content: Readable.from([content]) }
  }

  /** A text that was replaced meanwhile has another length, or the node finds that its hash is another. */
  async #openText({ name, size }: DnsFile): Promise<OutgoingFile> {
    const path = join(this.#dependencies.directory, name)
    const handle = await open(path).catch(() => undefined)
    if (handle === undefined) throw isOver()
    const { size: found } = await handle.stat()
    const content = createReadStream(path, { fd: handle, end: Math.max(0, size - 1) })
    if (found === size && size > 0) return { size, content }
    content.destroy()
    throw isOver()
  }

  /** The files of a node; undefined when no interface there needs its resolver. */
  async #cut(nodeId: string): Promise<CutFiles | undefined> {
    const rows = await interfaceRowsOn(this.#dependencies.db, nodeId)
    const served = rows
      .filter((row) => row.enabled === 1 && asksGateway(row))
      .map((row) => ({ name: row.name, gateways: gatewaysOf(row) }))
    if (served.length === 0) {
      this.#told.delete(nodeId)
      return undefined
    }
    this.#home ??= readHome(this.#dependencies.directory).catch((error: unknown) => {
      this.#home = undefined
      throw error
    })
    const home = { ...(await this.#home), clients: this.#dependencies.clients() }
    const gateways = served.flatMap(({ gateways: [first] }) => first ?? [])
    this.#told.set(nodeId, { gateways, hasNames: home.settings.peerNamesSuffix !== null })
    return cutFiles(home, served, { logs: this.#logging.has(nodeId) })
  }

  #digestOf(value: object): Digest {
    const known = this.#digests.get(value)
    if (known !== undefined) return known
    const content = Buffer.from(JSON.stringify(value))
    const digest = { sha256: sha256(content), size: content.length }
    this.#digests.set(value, digest)
    return digest
  }

  async #filesOf(cut: CutFiles): Promise<DnsFile[]> {
    const files = cutNames.map((name): DnsFile => {
      const { sha256: hash, size } = this.#digestOf(cut[name])
      return { name: `${name}.json`, sha256: hash, size }
    })
    for (const { id, sha256: hash } of cut.lists) {
      const found = await stat(textPath(this.#dependencies.directory, id)).catch(() => undefined)
      // A list without a text counts as empty, there as here.
      if (found !== undefined && found.size > 0) files.push({ name: listFileName(id), sha256: hash, size: found.size })
    }
    return files
  }
}

async function readHome(directory: string): Promise<Omit<HomeFiles, 'clients'>> {
  const [settings, profiles, rules, lists, records, zones] = await Promise.all([
    readResolverFile(directory, 'settings'),
    readResolverFile(directory, 'profiles'),
    readResolverFile(directory, 'rules'),
    readResolverFile(directory, 'lists'),
    readResolverFile(directory, 'records'),
    readResolverFile(directory, 'zones'),
  ])
  return { settings, profiles, rules, lists, records, zones }
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

const isOver = () => new Problem('conflict', 'The file has changed meanwhile: ask for the manifest again')
