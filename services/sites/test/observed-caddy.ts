import { execFileSync, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'

/** A real Caddy that a test watches from outside. */
export interface ObservedCaddy extends AsyncDisposable {
  readonly adminPort: number
  readonly httpPort: number
  readonly httpsPort: number
  /** Its access log; rolled after one megabyte. */
  readonly logFile: string
  /** The root of its own authority, PEM, as soon as it has one. */
  root(): Promise<string>
  /** Answers of its admin endpoint. */
  admin(path: string): Promise<string>
}

/** Why there is no Caddy to test with, or false. */
export function caddyObstacle(): string | false {
  try {
    execFileSync('caddy', ['version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'caddy is not installed'
  }
}

/** @param routes routes of the server, as Caddy's JSON has them; hosts in them get certificates of Caddy's own authority */
export async function startObservedCaddy(routes: readonly object[]): Promise<ObservedCaddy> {
  const folder = await temporaryDirectory('caddy')
  const [adminPort, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort()]
  const logFile = join(folder.path, 'log', 'access.log')
  const config = configOf({ adminPort, httpPort, httpsPort, logFile, routes })
  const file = join(folder.path, 'caddy.json')
  await writeFile(file, JSON.stringify(config))
  const child = spawn('caddy', ['run', '--config', file], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const admin = (path: string) => textOf({ port: adminPort, path })
  await eventually(
    () => admin('/config/apps/http'),
    (text) => text.includes('listen'),
  )
  return {
    adminPort,
    httpPort,
    httpsPort,
    logFile,
    admin,
    root: async () => (JSON.parse(await admin('/pki/ca/local')) as { root_certificate: string }).root_certificate,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}

interface Wish {
  readonly adminPort: number
  readonly httpPort: number
  readonly httpsPort: number
  readonly logFile: string
  readonly routes: readonly object[]
}

const configOf = ({ adminPort, httpPort, httpsPort, logFile, routes }: Wish) => ({
  admin: { listen: `127.0.0.1:${adminPort}` },
  logging: {
    logs: {
      default: { exclude: ['http.log.access'], level: 'ERROR' },
      access: {
        writer: { output: 'file', filename: logFile, roll_size_mb: 1, roll_keep: 100 },
        encoder: { format: 'json' },
        include: ['http.log.access'],
      },
    },
  },
  apps: {
    http: {
      http_port: httpPort,
      https_port: httpsPort,
      servers: {
        https: { listen: [`127.0.0.1:${httpsPort}`], logs: {}, automatic_https: { disable_redirects: true }, routes },
        http: { listen: [`127.0.0.1:${httpPort}`], logs: {}, automatic_https: { disable: true }, routes },
      },
    },
    tls: { automation: { policies: [{ issuers: [{ module: 'internal' }] }] } },
    pki: { certificate_authorities: { local: { install_trust: false } } },
  },
})

function textOf({ port, path }: { port: number; path: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve(text))
      answer.on('error', reject)
    })
    call.on('error', reject)
    call.end()
  })
}
