import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { once } from 'node:events'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startTestProgram } from './test-program.ts'

/** A TSIG key for the tests; its secret is known to everybody. */
export const tsigKey = { name: 'hearth', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 5).toString('base64') }

/** A zone of a test's name server. */
export interface TestZone {
  readonly name: string
  /** Further records, one a line, as in a zone file. */
  readonly records?: readonly string[]
  /** Names and addresses of its name servers; the server itself is `ns1`. */
  readonly servers?: Readonly<Record<string, string>>
}

/** A real name server (Knot) on port 53 of a loopback address. */
export interface NameServer extends AsyncDisposable {
  readonly address: string
  /** The values of a TXT record as the server shows them now. */
  txt(name: string): Promise<string[]>
  stop(): Promise<void>
}

const knotd = '/usr/sbin/knotd'

/** Why there can be no name server on port 53 here, or undefined. */
export async function nameServerObstacle(): Promise<string | undefined> {
  if (!existsSync(knotd)) return `${knotd} is not there (Debian's package knot)`
  const socket = createSocket('udp4')
  try {
    const bound = once(socket, 'listening')
    socket.bind(53, loopbackAddress())
    await bound
    socket.close()
    return undefined
  } catch (error) {
    return `port 53 of loopback cannot be used: ${(error as Error).message}`
  }
}

/** An address of loopback that hardly any other test has. */
export const loopbackAddress = (): string => `127.${randomInt(10, 250)}.${randomInt(1, 250)}.${randomInt(2, 250)}`

/** Starts a name server for zones; each may be changed with `tsigKey`. */
export async function startNameServer(zones: readonly TestZone[], address = loopbackAddress()): Promise<NameServer> {
  const folder = await temporaryDirectory('knot')
  const storage = join(folder.path, 'zones')
  await mkdir(storage)
  for (const zone of zones) await writeFile(join(storage, `${zone.name}.zone`), zoneFile(zone, address))
  const file = join(folder.path, 'knot.conf')
  await writeFile(file, configOf(zones, address, folder.path))
  const program = startTestProgram([knotd, '-c', file])
  const txt = async (name: string) => {
    const resolver = new Resolver({ timeout: 1000, tries: 1 })
    resolver.setServers([address])
    const found = await resolver.resolveTxt(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENODATA' || error.code === 'ENOTFOUND') return []
      throw error
    })
    return found.map((parts) => parts.join('')).sort()
  }
  const stop = async () => {
    await program.stop()
    await folder[Symbol.asyncDispose]()
  }
  await eventually(
    async () => Promise.all(zones.map(({ name }) => txt(name))),
    () => true,
    { what: 'an answer of the name server' },
  ).catch(async (error: unknown) => {
    const output = program.output()
    await stop()
    throw new Error(`Knot did not start: ${output}`, { cause: error })
  })
  return { address, txt, stop, [Symbol.asyncDispose]: stop }
}

function zoneFile({ name, records = [], servers = {} }: TestZone, address: string): string {
  const all = Object.entries({ ns1: address, ...servers })
  return [
    `$ORIGIN ${name}.`,
    '$TTL 60',
    `@ SOA ns1 hostmaster 1 3600 600 86400 1`,
    ...all.map(([server]) => `@ NS ${server}`),
    ...all.map(([server, at]) => `${server} A ${at}`),
    ...records,
    '',
  ].join('\n')
}

function configOf(zones: readonly TestZone[], address: string, folder: string): string {
  return `server:
  rundir: ${folder}
  listen: ${address}@53
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
log:
  - target: stdout
    any: info
database:
  storage: ${folder}
key:
  - id: ${tsigKey.name}
    algorithm: ${tsigKey.algorithm}
    secret: ${tsigKey.secret}
acl:
  - id: update
    key: ${tsigKey.name}
    action: update
template:
  - id: default
    storage: ${join(folder, 'zones')}
    file: "%s.zone"
    semantic-checks: false
zone:
${zones.map(({ name }) => `  - domain: ${name}\n    acl: update\n`).join('')}`
}
