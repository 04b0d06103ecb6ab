import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const program = '/usr/bin/prometheus'

/** A Prometheus on loopback that scrapes one service every second. */
export interface PrometheusServer extends AsyncDisposable {
  /** Waits until a scrape of the target has succeeded; fails with the last error otherwise. */
  scraped(): Promise<void>
  /** Evaluates an expression; the value of each series by its labels, as JSON in the order Prometheus gives them. */
  query(expression: string): Promise<readonly { readonly metric: Record<string, string>; readonly value: number }[]>
  /** Health of the alert rules by name: `ok` for one that could be evaluated. */
  rules(): Promise<Record<string, string>>
}

/** Returns the reason why Prometheus is not available, for a skipped test; false when it is. */
export function prometheusObstacle(): string | false {
  return existsSync(program) ? false : `Prometheus is not installed (${program} not found)`
}

/** Starts Prometheus with the job `hearth-<service>`, which authenticates with the token. */
export async function startPrometheus(options: {
  readonly service: string
  readonly url: string
  readonly token: string
}): Promise<PrometheusServer> {
  const { service, url, token } = options
  const folder = await temporaryDirectory('prometheus')
  const port = await freePort()
  const file = join(folder.path, 'prometheus.json')
  const job = {
    job_name: `hearth-${service}`,
    authorization: { credentials_file: join(folder.path, 'token') },
    static_configs: [{ targets: [new URL(url).host] }],
  }
  await writeFile(join(folder.path, 'token'), token, { mode: 0o600 })
  const rules = join(import.meta.dirname, `../../../docs/monitoring/alerts/${service}.yaml`)
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }
  await writeFile(file, JSON.stringify({ global, rule_files: [rules], scrape_configs: [job] }))
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder.path, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    // oxlint-disable-next-line typescript/no-explicit-any -- the API of Prometheus
    return ((await response.json()) as any).data
  }
  return {
    async scraped() {
      await eventually(
        async () => {
          const [{ health, lastError }] = (await get('targets')).activeTargets
          return { health, lastError }
        },
        ({ health }) => health === 'up',
        { seconds: 30, what: 'a successful scrape' },
      )
    },
    async query(expression) {
      const { result } = await get(`query?query=${encodeURIComponent(expression)}`)
      return result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => ({
        metric,
        value: Number(value[1]),
      }))
    },
    async rules() {
      const { groups } = await eventually(
        () => get('rules'),
        (data) => data.groups[0]?.rules.every(({ health }: { health: string }) => health !== 'unknown') === true,
        { seconds: 30, what: 'the first evaluation' },
      )
      const known: { name: string; health: string }[] = groups[0].rules
      return Object.fromEntries(known.map(({ name, health }) => [name, health]))
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}
