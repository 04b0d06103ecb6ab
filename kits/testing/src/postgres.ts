import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { cachedFolder } from './cached-folder.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** A PostgreSQL server of the test's own, on loopback, gone with the test. */
export interface PostgresServer extends AsyncDisposable {
  /** A new, empty database; returns its `postgres://` address. */
  createDatabase(): Promise<string>
}

/** Returns the reason why no PostgreSQL is available, for a skipped test; false when one is. */
export function postgresObstacle(): string | false {
  return findPrograms() === undefined ? 'PostgreSQL is not installed (initdb not found)' : false
}

/** Starts an empty server. As root it runs as `nobody`, because PostgreSQL refuses root. */
export async function startPostgres(): Promise<PostgresServer> {
  const cluster = await startCluster()
  return {
    createDatabase: () => createDatabase(cluster),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => cluster.server.once('exit', resolve))
      // Fast shutdown: connections that are still open are cut.
      if (cluster.server.exitCode === null && cluster.server.kill('SIGINT')) await ended
      remove(cluster)
    },
  }
}

let shared: Promise<Cluster> | undefined

/**
 * A new, empty database on a server that all tests of this process share; it goes with the process. For tests that need a
 * database and nothing of the server itself.
 */
export async function createPostgresDatabase(): Promise<string> {
  shared ??= startCluster().then((cluster) => {
    // Neither keeps the process: it ends when its tests have.
    cluster.server.unref()
    process.once('exit', () => {
      cluster.server.kill('SIGQUIT')
      remove(cluster)
    })
    return cluster
  })
  return createDatabase(await shared)
}

interface Cluster {
  readonly folder: string
  readonly programs: string
  readonly port: number
  readonly server: ChildProcess
}

async function startCluster(): Promise<Cluster> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error(String(postgresObstacle()))
  const nobody = process.getuid?.() === 0 ? idsOf('nobody') : undefined
  const empty = await emptyCluster(programs, nobody)
  const folder = mkdtempSync(join(tmpdir(), 'hearth-postgres-'))
  chmodSync(folder, 0o700)
  if (nobody !== undefined) chownSync(folder, nobody.uid, nobody.gid)
  const user = nobody ?? {}
  const data = join(folder, 'data')
  // Keeps owner and mode, which PostgreSQL looks at.
  await run('cp', ['-a', '--reflink=auto', join(empty, 'data'), data]).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true })
    throw error
  })
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, `port=${port}`]
  const server = spawn(
    // The kernel ends the server when this process is gone, however it went.
    'setpriv',
    ['--pdeathsig', 'INT', join(programs, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: folder, stdio: 'ignore' },
  )
  const cluster = { folder, programs, port, server }
  let failure: Error | undefined
  server.once('error', (error) => (failure = error))
  server.once('exit', (code) => (failure ??= new Error(`PostgreSQL ended with ${code}`)))
  const ask = () => (failure === undefined ? psql(cluster, 'select 1').then(() => 'ready') : failure.message)
  const state = await eventually(ask, () => true, { seconds: 20, what: 'PostgreSQL' })
  if (state === 'ready') return cluster
  remove(cluster)
  throw failure ?? new Error(state)
}

/** Files of a server without databases. Each server gets a copy: making them takes longer than most tests. */
async function emptyCluster(programs: string, user: { uid: number; gid: number } | undefined): Promise<string> {
  const args = ['-U', 'hearth', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  const { stdout: version } = await run(join(programs, 'initdb'), ['--version'])
  return cachedFolder(['initdb', version, ...args, String(user?.uid ?? '')], async (kept) => {
    // Another user may have no way to where the packages are.
    const folder = mkdtempSync(join(tmpdir(), 'hearth-initdb-'))
    try {
      if (user !== undefined) chownSync(folder, user.uid, user.gid)
      await run(join(programs, 'initdb'), ['-D', join(folder, 'data'), ...args], { ...user, cwd: folder })
      await run('cp', ['-a', join(folder, 'data'), kept])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

async function createDatabase(cluster: Cluster): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await psql(cluster, `create database ${name}`)
  return `postgres://hearth@127.0.0.1:${cluster.port}/${name}`
}

function psql({ programs, port }: Cluster, sql: string): Promise<unknown> {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'hearth', '-d', 'postgres', '-c', sql]
  return run(join(programs, 'psql'), args)
}

/** A server that is just ending removes files of its own, and removing stops without a word at one that is gone. */
function remove({ folder }: Cluster): void {
  for (let tries = 0; existsSync(folder) && tries < 20; tries += 1)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The folder with initdb and postgres: Debian keeps them out of PATH. */
function findPrograms(): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...globSync('/usr/lib/postgresql/*/bin').sort().toReversed(),
  ]
  return folders.find((folder) => ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))))
}

function idsOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
