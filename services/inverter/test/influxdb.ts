import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'

const program = ['/usr/bin/influxd', '/usr/local/bin/influxd'].find(existsSync)

/**
 * Reason why there is no InfluxDB for a test; false when there is one. It is not among the packages of the tests, because not
 * every Debian has it, and one that is missing would keep the others from being installed.
 */
export const influxObstacle = (): string | false => (program === undefined ? 'influxdb is not installed' : false)

/** An InfluxDB 1 on loopback that a test may stop and start. */
export interface Influx extends AsyncDisposable {
  readonly url: string
  stop(): Promise<void>
  start(): Promise<void>
  /** Runs a statement and returns the rows of its first series, each with its columns by name. */
  query(statement: string): Promise<Record<string, unknown>[]>
}

/** Starts InfluxDB with a database. */
export async function startInflux(database: string): Promise<Influx> {
  const folder = await temporaryDirectory('influx')
  const [port, inner] = [await freePort(), await freePort()]
  const config = join(folder.path, 'influxdb.conf')
  const at = (name: string) => JSON.stringify(join(folder.path, name))
  await writeFile(
    config,
    [
      'reporting-disabled = true',
      `bind-address = "127.0.0.1:${inner}"`,
      `[meta]\n  dir = ${at('meta')}`,
      `[data]\n  dir = ${at('data')}\n  wal-dir = ${at('wal')}`,
      `[http]\n  bind-address = "127.0.0.1:${port}"\n  log-enabled = false`,
    ].join('\n'),
  )
  let child: ChildProcess | undefined
  const url = `http://127.0.0.1:${port}`
  const influx: Influx = {
    url,
    async stop() {
      const running = child
      child = undefined
      if (running === undefined) return
      running.kill()
      if (running.exitCode === null) await once(running, 'exit')
    },
    async start() {
      child = spawn(program ?? '', ['-config', config], { stdio: 'ignore', env: { HOME: folder.path } })
      await eventually(
        () =>
          fetch(`${url}/ping`).then(
            ({ ok }) => ok,
            () => false,
          ),
        (isUp) => isUp,
        { what: 'InfluxDB', seconds: 60, everyMs: 100 },
      )
    },
    async query(statement) {
      const answer = await fetch(`${url}/query?db=${database}&q=${encodeURIComponent(statement)}`, { method: 'POST' })
      const { results } = (await answer.json()) as {
        results: { series?: { columns: string[]; values: unknown[][] }[] }[]
      }
      const series = results[0]?.series?.[0]
      return (series?.values ?? []).map((row) =>
        Object.fromEntries(row.map((value, index) => [series?.columns[index] ?? '', value])),
      )
    },
    async [Symbol.asyncDispose]() {
      await influx.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
  await influx.start()
  await influx.query(`CREATE DATABASE "${database}"`)
  return influx
}
