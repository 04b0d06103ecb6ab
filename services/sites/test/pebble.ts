import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'
import { createTestAuthority } from './test-authority.ts'
import { startTestProgram } from './test-program.ts'

const program = '/usr/bin/pebble'

/** Why there is no pebble here, or undefined. */
export const pebbleObstacle = (): string | undefined =>
  existsSync(program) ? undefined : `${program} is not there (Debian's package pebble)`

/** A real ACME authority for tests. */
export interface Pebble extends AsyncDisposable {
  readonly directory: string
  /** Its port, for the list of what the service may reach. */
  readonly port: number
  /** Certificate by which the directory is trusted, PEM. */
  readonly root: string
  output(): string
  /** What it says about a certificate, as an administrator of it sees that; undefined when it knows none. */
  certificate(serial: string): Promise<{ readonly Status: string; readonly Reason?: number } | undefined>
  stop(): Promise<void>
  /** Starts it again on the same port, without what it knew. */
  start(): Promise<void>
}

/**
 * Starts pebble, which looks names up at one name server. This process trusts its directory from then on.
 *
 * @param external HMAC keys by their identifiers; it takes only accounts that are bound to one of them, when there are any
 * @param environment such as `PEBBLE_WFE_NONCEREJECT`, the share of good nonces that it refuses, percent
 */
export async function startPebble(
  nameServer: string,
  environment: Readonly<Record<string, string>> = {},
  external: Readonly<Record<string, string>> = {},
): Promise<Pebble> {
  const folder = await temporaryDirectory('pebble')
  const authority = createTestAuthority('Directory Root')
  const { chain, key } = authority.issue({ names: ['localhost'] })
  const [certificate, privateKey] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
  await writeFile(certificate, chain)
  await writeFile(privateKey, key)
  const [port, management] = [await freePort(), await freePort()]
  const listen = { listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${management}` }
  const ports = { httpPort: 5002, tlsPort: 5001, ocspResponderURL: '' }
  const accounts = {
    externalAccountBindingRequired: Object.keys(external).length > 0,
    externalAccountMACKeys: external,
  }
  const file = join(folder.path, 'config.json')
  await writeFile(file, JSON.stringify({ pebble: { ...listen, certificate, privateKey, ...ports, ...accounts } }))
  setDefaultCACertificates([...getCACertificates('default'), authority.root])
  const directory = `https://localhost:${port}/dir`
  const run = () =>
    startTestProgram([program, '-config', file, '-dnsserver', `${nameServer}:53`], {
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: '0',
      PEBBLE_AUTHZREUSE: '0',
      ...environment,
    })
  let running = run()
  const ready = () =>
    eventually(
      () => statusOf(directory),
      (status) => status === 200,
      { what: 'an answer of pebble' },
    ).catch((error: unknown) => {
      throw new Error(`pebble did not start: ${running.output()}`, { cause: error })
    })
  await ready()
  const stop = () => running.stop()
  return {
    directory,
    port,
    root: authority.root,
    output: () => running.output(),
    async certificate(serial) {
      const answer = await fetch(`https://localhost:${management}/cert-status-by-serial/${serial}`)
      return answer.status === 404 ? undefined : ((await answer.json()) as { Status: string })
    },
    stop,
    async start() {
      running = run()
      await ready()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asking = request(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asking.on('error', reject)
    asking.end()
  })
