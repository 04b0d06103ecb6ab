import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Relay } from './relay.ts'
import { unreachableCode } from '../wire/codes.ts'

const answerMs = 3500
const maxInFlight = 4096
const maxDatagramBytes = 4096

/** A server that speaks streams, as the data thread wants servers: behind UDP on loopback. */
export interface Bridge {
  readonly port: number
  close(): void
}

/**
 * Opens a bridge to a relay: takes queries at a port of 127.0.0.1 and answers there, up to 4096 bytes, longer answers cut off
 * with TC. Queries the relay has no answer for are answered with `unreachableCode` at once, so that others are queried.
 * `onOutcome` is called when each ended: with an error, or null.
 */
export async function openBridge(relay: Relay, onOutcome: (error: Error | null) => void): Promise<Bridge> {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: 1 << 20,
    lookup: (host, _options, done) => done(null, host, 4),
  })
  const underWay = new Set<number>()
  let isOpen = true
  socket.on('error', () => undefined)
  socket.on('message', (query, from) => {
    const key = from.port * 65_536 + query.readUInt16BE(0)
    if (query.length < 17 || underWay.has(key) || underWay.size >= maxInFlight) return
    underWay.add(key)
    void answerFor(relay, query, onOutcome).then((answer) => {
      underWay.delete(key)
      return isOpen ? socket.send(answer, from.port, from.address) : undefined
    })
  })
  // An address is bound to at once, without a look-up: a listener added afterwards would never be called.
  const listening = once(socket, 'listening')
  socket.bind(0, '127.0.0.1')
  await listening
  return {
    port: socket.address().port,
    close() {
      isOpen = false
      socket.close()
      relay.close()
    },
  }
}

async function answerFor(
  relay: Relay,
  query: Uint8Array,
  onOutcome: (error: Error | null) => void,
): Promise<Uint8Array> {
  try {
    const answer = await relay.query(query, answerMs)
    onOutcome(null)
    return answer.length <= maxDatagramBytes ? answer : cutOff(answer)
  } catch (error) {
    onOutcome(error as Error)
    return refusal(query)
  }
}

/** The question alone, with TC: the client then queries by TCP. */
function cutOff(answer: Uint8Array): Uint8Array {
  const short = questionOf(answer)
  short[2]! |= 2
  return short
}

function refusal(query: Uint8Array): Uint8Array {
  const answer = questionOf(query)
  answer[2]! |= 0x80
  answer[3] = unreachableCode
  return answer
}

/** Header and question of a message with one question. */
function questionOf(message: Uint8Array): Uint8Array {
  let end = 12
  while (end < message.length && message[end]! !== 0 && message[end]! < 64) end += message[end]! + 1
  const question = Uint8Array.from(message.subarray(0, Math.min(end + 5, message.length)))
  question.fill(0, 6, 12)
  return question
}
