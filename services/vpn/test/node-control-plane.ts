/**
 * The service as a node sees it, as a program for a test host: `node-control-plane.ts FOLDER ADDRESS PORT`. It sends the state in
 * `state.json` of the folder, appends the reports to `reports.jsonl`, keeps in `ledger.json` what it counted, and refuses the node
 * while there is a file `removed`.
 */
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { Report, StateRequest, stateWaitMs } from '../src/nodes/link-schema.ts'

const [folder = '', address = '', port = ''] = process.argv.slice(2)
const file = (name: string) => join(folder, name)
const read = (name: string) => JSON.parse(readFileSync(file(name), 'utf8'))

/** What was counted: the last number of a count together with the bytes of each peer. */
interface Ledger {
  count: string
  last: number
  peers: Record<string, { rx: number; tx: number }>
}

const waiters = new Set<() => void>()
watch(folder, () => {
  for (const wake of waiters) wake()
})

async function stateFor(known: string | null): Promise<object> {
  const end = performance.now() + stateWaitMs
  for (;;) {
    const { revision, state } = read('state.json')
    if (revision !== known) return { revision, state }
    const left = end - performance.now()
    if (left <= 0) return { revision, state: null }
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, left)
      waiters.add(done)
    })
  }
}

function count({ count: name, batches }: NonNullable<Report['traffic']>): number {
  const ledger: Ledger = existsSync(file('ledger.json')) ? read('ledger.json') : { count: name, last: 0, peers: {} }
  if (ledger.count !== name) Object.assign(ledger, { count: name, last: 0 })
  for (const { number, peers } of batches) {
    if (number <= ledger.last) continue
    ledger.last = number
    for (const { public_key: key, rx, tx } of peers) {
      const before = ledger.peers[key] ?? { rx: 0, tx: 0 }
      ledger.peers[key] = { rx: before.rx + rx, tx: before.tx + tx }
    }
  }
  writeFileSync(file('ledger.json'), JSON.stringify(ledger))
  return ledger.last
}

async function answerTo(request: IncomingMessage): Promise<object | undefined> {
  const body = JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString())
  if (!(request.socket as TLSSocket).authorized || existsSync(file('removed'))) return undefined
  if (request.url === '/v1/state') return stateFor(StateRequest.parse(body).revision)
  const report = Report.parse(body)
  appendFileSync(file('reports.jsonl'), `${JSON.stringify(report)}\n`)
  return { name: 'Berlin', counted: report.traffic === undefined ? null : count(report.traffic) }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await answerTo(request)
  response.writeHead(body === undefined ? 401 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { message: 'This host is not a node of this service, or it was removed' }))
}

createServer(
  { ...read('certificates.json'), minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      response.destroy()
    })
  },
).listen(Number(port), address, () => process.stdout.write('ready\n'))
