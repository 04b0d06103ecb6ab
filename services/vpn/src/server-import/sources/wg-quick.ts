import { isKey, publicKeyOf } from '../../wireguard/keys.ts'
import { splitList } from '../../envelope.ts'
import { FileProblem, type GivenFile, type LeftOut } from '../../foreign-files/given-file.ts'
import type { FoundPeer, FoundServer } from '../found-server.ts'
import { type Entry, nameInComments, parseConfigurationFile, type Section } from './configuration-file.ts'

/** The configuration of one device: what only its own file says. */
export interface DeviceFile {
  /** Name of the file without its ending: programs name it after the device. */
  readonly name: string
  readonly publicKey: string
  /** A secret. */
  readonly privateKey: string
  readonly presharedKey: string | null
  readonly serverKey: string
  readonly routed: readonly string[]
  readonly keepalive: number | undefined
  readonly mtu: number | undefined
  readonly dns: readonly string[]
  /** Where it connects to, such as `vpn.example.com:51820`. */
  readonly endpoint: string
}

/** What one configuration file is: that of a server or that of a device. */
export type ConfigurationFile =
  | { readonly kind: 'server'; readonly server: FoundServer; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'device'; readonly device: DeviceFile }

/** Reads a configuration file. One that connects to a single peer and listens on no fixed port belongs to a device. */
export function readConfigurationFile({ name, content }: GivenFile): ConfigurationFile {
  const sections = parseConfigurationFile(name, content.toString('utf8'))
  const [head, ...more] = sections.filter(({ kind }) => kind === 'interface')
  if (head === undefined) throw new FileProblem(name, 'has no section [Interface]')
  if (more.length > 0) throw new FileProblem(name, 'has two sections [Interface]')
  const file = new FileReader(name)
  const peers = sections.filter(({ kind }) => kind === 'peer')
  const [only] = peers
  const isDevice =
    peers.length === 1 && only !== undefined && has(only, 'endpoint') && !has(head, 'listenport') && only.enabled
  if (isDevice) return { kind: 'device', device: file.device(head, only) }
  const server = file.server(head, peers)
  return { kind: 'server', server, leftOut: leftOutOf(server.name, [head, ...peers]) }
}

const has = (section: Section, key: string): boolean => section.entries.some((entry) => entry.key === key)

/** The file's name without folder and ending. */
export const baseName = (file: string): string => file.replace(/^.*[/\\]/, '').replace(/\.[A-Za-z0-9]+$/, '')

/** Settings of other programs' tunnels that plain WireGuard does not speak. */
const amnezia = new Set(['jc', 'jmin', 'jmax', 's1', 's2', 'h1', 'h2', 'h3', 'h4', 'i1'])

class FileReader {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  server(head: Section, peers: readonly Section[]): FoundServer {
    const foreign = head.entries.find(({ key }) => amnezia.has(key))
    if (foreign !== undefined)
      throw new FileProblem(
        this.#file,
        `line ${foreign.line}: belongs to AmneziaWG, whose devices plain WireGuard refuses`,
      )
    return {
      source: 'wg-quick',
      name: baseName(this.#file),
      privateKey: this.#key(head, 'privatekey'),
      addresses: this.#list(head, 'address'),
      listenPort: this.#number(head, 'listenport', 65_535),
      mtu: this.#number(head, 'mtu', 65_535),
      dns: undefined,
      enabled: true,
      peers: peers.map((section) => this.#peer(section)),
    }
  }

  device(head: Section, peer: Section): DeviceFile {
    const privateKey = this.#key(head, 'privatekey')
    return {
      name: baseName(this.#file),
      publicKey: publicKeyOf(privateKey),
      privateKey,
      presharedKey: has(peer, 'presharedkey') ? this.#key(peer, 'presharedkey') : null,
      serverKey: this.#key(peer, 'publickey'),
      routed: this.#list(peer, 'allowedips'),
      keepalive: this.#keepalive(peer),
      mtu: this.#number(head, 'mtu', 65_535),
      dns: this.#list(head, 'dns'),
      endpoint: this.#find(peer, 'endpoint')?.value ?? '',
    }
  }

  #peer(section: Section): FoundPeer {
    return {
      name: nameInComments(section.comments),
      publicKey: this.#key(section, 'publickey'),
      privateKey: null,
      presharedKey: has(section, 'presharedkey') ? this.#key(section, 'presharedkey') : null,
      addresses: this.#list(section, 'allowedips'),
      routed: undefined,
      keepalive: undefined,
      enabled: section.enabled,
      expiresAt: null,
    }
  }

  #find(section: Section, key: string): Entry | undefined {
    return section.entries.findLast((entry) => entry.key === key)
  }

  /** Never with the value in the message: it may be a private key. */
  #key(section: Section, key: string): string {
    const entry = this.#find(section, key)
    const words = { privatekey: 'PrivateKey', publickey: 'PublicKey', presharedkey: 'PresharedKey' }[key] ?? key
    if (entry === undefined) throw new FileProblem(this.#file, `line ${section.line}: the section has no ${words}`)
    if (!isKey(entry.value)) throw new FileProblem(this.#file, `line ${entry.line}: ${words} is not 32 bytes of base64`)
    return entry.value
  }

  /** All values of a key: a file may have several lines of it. */
  #list(section: Section, key: string): string[] {
    return section.entries.filter((entry) => entry.key === key).flatMap(({ value }) => splitList(value))
  }

  #number(section: Section, key: string, max: number): number | undefined {
    const entry = this.#find(section, key)
    if (entry === undefined) return undefined
    const number = /^\d{1,6}$/.test(entry.value) ? Number(entry.value) : NaN
    if (!(number <= max)) throw new FileProblem(this.#file, `line ${entry.line}: is not a number from 0 to ${max}`)
    return number
  }

  #keepalive(section: Section): number | undefined {
    if (this.#find(section, 'persistentkeepalive')?.value.toLowerCase() === 'off') return 0
    return this.#number(section, 'persistentkeepalive', 65_535)
  }
}

/** Settings of a server's file that need no word: what they do is done here anyway. */
const taken = new Set([
  'privatekey',
  'publickey',
  'presharedkey',
  'address',
  'listenport',
  'mtu',
  'allowedips',
  'saveconfig',
])
const commands = new Set(['preup', 'postup', 'predown', 'postdown'])

/** Reasons why a setting does not come along. */
const reasons: Readonly<Record<string, string>> = {
  dns: 'sets the resolver of the server itself, not that of its devices',
  persistentkeepalive: 'belongs to the server’s side; devices keep theirs',
  endpoint: 'devices connect to the server, not the other way round',
}

function leftOutOf(server: string, sections: readonly Section[]): LeftOut[] {
  const entries = sections.flatMap((section) => section.entries).filter(({ key }) => !taken.has(key))
  const ran = entries.filter(({ key, value }) => commands.has(key) && value !== '')
  const others = new Map(entries.filter(({ key }) => !commands.has(key)).map(({ key }) => [key, reasons[key]]))
  return [
    ...(ran.length === 0
      ? []
      : [
          {
            about: server,
            reason: `${ran.length} commands (PostUp and the like): this service makes its own firewall rules`,
          },
        ]),
    ...[...others].map(([key, reason]) => ({ about: server, reason: `${key}: ${reason ?? 'is not known here'}` })),
  ]
}
