import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'
import { parseAdminAddress } from '../src/deploy/nodes/admin-address.ts'
import { createAdminClient, type AdminClient } from '../src/deploy/nodes/admin-client.ts'

/** A Caddy that somebody else has set up: it runs with a file of its own, as Debian's service does. */
export interface ForeignCaddy extends AsyncDisposable {
  /** Its admin endpoint, as `CADDY_ADMIN` takes it. */
  readonly adminUrl: string
  /** The admin block of its file. */
  readonly adminBlock: object
  readonly httpPort: number
  readonly httpsPort: number
  readonly client: AdminClient
  /** Settings with which a service manages it. */
  readonly environment: Readonly<Record<string, string>>
  /** Admin endpoint at which it is added as a further server. */
  readonly asNode: Readonly<Record<string, unknown>>
  /** Ends it, as a crash does. */
  kill(): Promise<void>
  /** Starts it again with its own file; as another version when a program is named. */
  start(program?: string): Promise<void>
}

/** Options of its set-up. */
export interface ForeignSetup {
  readonly admin?: 'unix' | 'tcp'
  /** Routes of a server in its file; none for a Caddy that serves nothing. */
  readonly routes?: readonly object[]
  readonly binary?: string
  /** Command prefix, such as one that gives it a separate network. */
  readonly prefix?: readonly string[]
}

/** A route that answers one host with a text. */
export const saying = (host: string, body: string): object => ({
  match: [{ host: [host] }],
  handle: [{ handler: 'static_response', body }],
  terminal: true,
})

/** Starts it on free loopback ports; it ends, by its process id, when it is disposed of. */
export async function startForeignCaddy({
  admin = 'unix',
  routes,
  binary = '/usr/bin/caddy',
  prefix = [],
}: ForeignSetup = {}) {
  const folder = await temporaryDirectory('foreign')
  const [httpPort, httpsPort, adminPort] = [await freePort(), await freePort(), await freePort()]
  const listen = admin === 'unix' ? `unix/${join(folder.path, 'a.sock')}` : `127.0.0.1:${adminPort}`
  const adminUrl = admin === 'unix' ? listen : `http://${listen}`
  const adminBlock = { listen, ...(admin === 'tcp' && { origins: [listen, `localhost:${adminPort}`] }) }
  const server = { listen: [`127.0.0.1:${httpPort}`], routes, automatic_https: { disable: true } }
  const file = join(folder.path, 'caddy.json')
  const apps = routes === undefined ? {} : { apps: { http: { servers: { own: server } } } }
  await writeFile(file, JSON.stringify({ admin: adminBlock, ...apps }))
  const client = createAdminClient(parseAdminAddress(adminUrl))
  let child: ChildProcess | undefined
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async (version = binary) => {
    const [program, ...words] = [...prefix, version, 'run', '--config', file]
    child = spawn(program, words, {
      env: { PATH: process.env['PATH'], HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
      stdio: 'ignore',
    })
    await eventually(
      () => client.readConfig(),
      () => true,
    )
  }
  await start()
  return {
    adminUrl,
    adminBlock,
    httpPort,
    httpsPort,
    client,
    environment: {
      CADDY_ADMIN: adminUrl,
      CADDY_HTTP_PORT: String(httpPort),
      CADDY_HTTPS_PORT: String(httpsPort),
      CADDY_BIND: '127.0.0.1',
    },
    asNode: { admin_url: adminUrl, http_port: httpPort, https_port: httpsPort, bind: ['127.0.0.1'] },
    kill,
    start,
    async [Symbol.asyncDispose]() {
      await kill()
      await folder[Symbol.asyncDispose]()
    },
  } satisfies ForeignCaddy
}
