import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { makeQuery } from './dns-packets.ts'

/** Result of many queries. */
export interface Asked {
  readonly sent: number
  readonly answered: number
  readonly blocked: number
  /** Answers that do not belong to a question of the kind asked. */
  readonly wrong: number
}

/** Questions that wait for their answers at a time: a host that was late must not send more at once than its sockets hold. */
const maxWaiting = 100

/** Time after which a question counts as lost, milliseconds. */
const patience = 5000

/**
 * Asks a server for names from a test host, each once, never again when no answer comes. Arguments: server, how many, how many
 * a second. Every fifth name is `always.blocked.example`. Prints an `Asked` as JSON.
 */
const [server = '127.0.0.1', count = '100', rate = '500'] = process.argv.slice(2)
const total = Number(count)
const socket = createSocket('udp4')
socket.connect(53, server)
await once(socket, 'connect')
const waiting = new Map<number, string>()
let [answered, blocked, wrong] = [0, 0, 0]

socket.on('error', () => {
  wrong += 1
})
socket.on('message', (message) => {
  const name = waiting.get(message.readUInt16BE(0))
  waiting.delete(message.readUInt16BE(0))
  answered += 1
  const isNull = message.readUInt16BE(6) > 0 && message.readUInt32BE(message.length - 4) === 0
  if (isNull) blocked += 1
  if (name === undefined || isNull !== (name === 'always.blocked.example')) wrong += 1
})

const began = performance.now()
for (let n = 0; n < total; n++) {
  const name = n % 5 === 0 ? 'always.blocked.example' : `n${n}.fine.example`
  waiting.set(n, name)
  const query = makeQuery(name)
  query.set([n >> 8, n & 255])
  socket.send(query)
  const early = (n / Number(rate)) * 1000 - (performance.now() - began)
  if (early > 1) await pause(early)
  for (const end = performance.now() + patience; waiting.size >= maxWaiting && performance.now() < end;) await pause(1)
}
for (const end = performance.now() + patience; waiting.size > 0 && performance.now() < end;) await pause(20)
socket.close()
process.stdout.write(JSON.stringify({ sent: total, answered, blocked, wrong } satisfies Asked))
