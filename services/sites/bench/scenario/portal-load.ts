import { Agent, request } from 'node:https'

/** What the benchmark wants to be requested. */
interface Order {
  readonly port: number
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: number
  readonly connections: number
}

/** Requests one page over and over, and reports how long the answers took, without the first tenth. */
async function run({ port, host, headers, requests, connections }: Order) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false, servername: host })
  const times: number[] = []
  let [left, failures] = [requests, 0]
  const one = async (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const options = { agent, port, host: '127.0.0.1', path: '/', headers: { host: `${host}:${port}`, ...headers } }
    const outgoing = request(options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end()
    if ((await promise) !== 200) failures += 1
  }
  const begun = performance.now()
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      await one()
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - begun) / 1000
  const warm = times.slice(Math.floor(times.length / 10)).toSorted((a, b) => a - b)
  agent.destroy()
  const at = (share: number) => warm[Math.floor(warm.length * share)] ?? Number.NaN
  return { median: at(0.5), late: at(0.99), perSecond: requests / seconds, failures }
}

process.once('message', (order) => void report(order as Order))

async function report(order: Order): Promise<void> {
  process.send?.(await run(order))
  process.disconnect?.()
}
