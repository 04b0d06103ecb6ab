import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'
import { loopbackAddress } from './name-server.ts'
import { startTestProgram } from './test-program.ts'

/** An account at acme-dns, as the registration gives it. */
export interface AcmeDnsAccount {
  readonly username: string
  readonly password: string
  /** Name that an alias leads to. */
  readonly fulldomain: string
  readonly subdomain: string
}

/** A real acme-dns: its API on a port of loopback, its name server on port 53 of a loopback address. */
export interface AcmeDns extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string
  readonly address: string
  /** Zone that it holds. */
  readonly zone: string
  /** Registers an account; only `networks` may use it, anybody without them. */
  register(networks?: readonly string[]): Promise<AcmeDnsAccount>
  output(): string
  stop(): Promise<void>
  /** Starts it again on the same ports, with the accounts that it has. */
  start(): Promise<void>
}

/** The program: that of the variable `ACME_DNS`, or `acme-dns` in PATH. */
function findAcmeDns(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '')
  const places = [process.env['ACME_DNS'] ?? '', ...folders.map((folder) => join(folder, 'acme-dns'))]
  return places.find((place) => place !== '' && isProgram(place))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Why there is no acme-dns here, or undefined. */
export const acmeDnsObstacle = (): string | undefined =>
  findAcmeDns() === undefined ? 'acme-dns is neither in PATH nor named by ACME_DNS' : undefined

/** Starts acme-dns with its own zone and a database in a temporary folder. */
export async function startAcmeDns(zone = 'auth.example.net'): Promise<AcmeDns> {
  const program = findAcmeDns() ?? ''
  const folder = await temporaryDirectory('acme-dns')
  const [address, port] = [loopbackAddress(), await freePort()]
  const file = join(folder.path, 'config.cfg')
  await writeFile(file, configOf({ zone, address, port, database: join(folder.path, 'acme-dns.db') }))
  const url = `http://127.0.0.1:${port}`
  let running = startTestProgram([program, '-c', file])
  const ready = () =>
    eventually(
      () => fetch(`${url}/health`),
      ({ ok }) => ok && running.output().includes('Listening DNS'),
      { what: 'an answer of acme-dns' },
    ).catch((error: unknown) => {
      throw new Error(`acme-dns did not start: ${running.output()}`, { cause: error })
    })
  await ready()
  const stop = () => running.stop()
  return {
    url,
    address,
    zone,
    output: () => running.output(),
    stop,
    async register(networks = []) {
      const body = JSON.stringify({ allowfrom: networks })
      const answer = await fetch(`${url}/register`, { method: 'POST', body })
      if (answer.status !== 201) throw new Error(`acme-dns registered nobody: ${await answer.text()}`)
      return (await answer.json()) as AcmeDnsAccount
    },
    async start() {
      running = startTestProgram([program, '-c', file])
      await ready()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

interface Places {
  readonly zone: string
  readonly address: string
  readonly port: number
  readonly database: string
}

const configOf = ({ zone, address, port, database }: Places) => `[general]
listen = "${address}:53"
protocol = "both4"
domain = "${zone}"
nsname = "${zone}"
nsadmin = "hostmaster.${zone}"
records = ["${zone}. A ${address}", "${zone}. NS ${zone}."]
debug = false
[database]
engine = "sqlite3"
connection = "${database}"
[api]
ip = "127.0.0.1"
port = "${port}"
disable_registration = false
tls = "none"
corsorigins = ["*"]
use_header = false
[logconfig]
loglevel = "debug"
logtype = "stdout"
logformat = "text"
`
