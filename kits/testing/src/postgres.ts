import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, existsSync, globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'

const run = promisify(execFile)

/** A PostgreSQL server of the test's own, on loopback, gone with the test. */
export interface PostgresServer extends AsyncDisposable {
  /** A new, empty database; returns its `postgres://` address. */
  createDatabase(): Promise<string>
}

/** Why no PostgreSQL can be had here, as the reason of a skipped test; false when one can. */
export function postgresObstacle(): string | false {
  return findPrograms() === undefined ? 'PostgreSQL is not installed (initdb not found)' : false
}

/** Starts an empty server. As root it runs as `nobody`, because PostgreSQL refuses root. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error(String(postgresObstacle()))
  const folder = await mkdtemp(join(tmpdir(), 'hearth-postgres-'))
  const owner = process.getuid?.() === 0 ? ids('nobody') : undefined
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const user = owner ?? {}
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'hearth', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...user, cwd: folder },
  )
  const port = await freePort()
  const settings = [
    '-c',
    'fsync=off',
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${folder}`,
    '-p',
    String(port),
  ]
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings], { ...user, cwd: folder, stdio: 'ignore' })
  const psql = (sql: string) =>
    run(join(programs, 'psql'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'hearth', '-d', 'postgres', '-c', sql])
  await eventually(
    () => psql('select 1'),
    () => true,
    { seconds: 20, what: 'PostgreSQL' },
  )
  return {
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await psql(`create database ${name}`)
      return `postgres://hearth@127.0.0.1:${port}/${name}`
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The folder with initdb and postgres: Debian keeps them out of PATH. */
function findPrograms(): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...globSync('/usr/lib/postgresql/*/bin').sort().toReversed(),
  ]
  return folders.find((folder) => ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))))
}

function ids(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
