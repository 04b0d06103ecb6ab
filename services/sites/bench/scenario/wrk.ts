import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'
import { execa } from 'execa'

/** What is to be requested over and over. */
export interface WrkOrder {
  /** A port on loopback that speaks TLS. */
  readonly port: number
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

/** Figures of one run. */
export interface WrkFigures {
  /** Milliseconds. */
  readonly median: number
  /** Milliseconds at 99 percent. */
  readonly late: number
  readonly perSecond: number
  /** Requests that were not answered with 200. */
  readonly failures: number
}

/** Requests a site on loopback with `wrk` over kept connections. */
export async function runWrk({ port, host, headers, connections, seconds }: WrkOrder): Promise<WrkFigures> {
  await using folder = await temporaryDirectory('wrk')
  // The headers hold cookies, so they stand in a file and not among the arguments.
  const script = join(folder.path, 'site.lua')
  await writeFile(script, scriptOf(headers), { mode: 0o600 })
  const numbers = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`]
  const { stdout } = await execa('wrk', [...numbers, '-s', script, `https://${host}:${port}/`], {
    timeout: (seconds + 30) * 1000,
  })
  const json = /^figures (.+)$/m.exec(stdout)?.[1]
  if (json === undefined) throw new Error(`wrk said: ${stdout}`)
  return JSON.parse(json) as WrkFigures
}

/** Lua that sends the headers to loopback, counts answers, and prints the figures as JSON. */
const scriptOf = (headers: WrkOrder['headers']): string => `
function wrk.resolve(host, service)
  wrk.addrs = wrk.lookup("127.0.0.1", service)
end

${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

refused = 0
function response(status)
  if status ~= 200 then refused = refused + 1 end
end

function done(summary, latency)
  local failures = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do failures = failures + thread:get("refused") end
  io.write(string.format(
    'figures {"median": %f, "late": %f, "perSecond": %f, "failures": %d}\\n',
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.requests / summary.duration * 1e6, failures
  ))
end
`
