import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { eventually } from '@hearth/testing'
import { frame, StreamFrames } from '../src/dns/upstream/stream-frames.ts'
import { makeQuery, readAnswer, type ReadAnswer } from './dns-packets.ts'

/** A query of a test. */
export interface TestQuery {
  readonly name: string
  readonly type?: number
  /** EDNS payload size. */
  readonly payload?: number
  /** Address of the server; 127.0.0.1 by default. */
  readonly address?: string
  /** Address that the query is sent from. */
  readonly source?: string
  readonly timeoutMs?: number
}

/** Asks by UDP, as `dig` would without repeating itself. Undefined when no answer came in time. */
export async function ask(port: number, asking: TestQuery): Promise<ReadAnswer | undefined> {
  const query = makeQuery(asking.name, asking.type, asking.payload)
  const answer = await exchange(port, query, asking)
  return answer === undefined ? undefined : readAnswer(answer)
}

/** Sends bytes by UDP. The first answer with their id, or undefined. */
export function exchange(
  port: number,
  query: Uint8Array,
  asking: Omit<TestQuery, 'name'> = {},
): Promise<Uint8Array | undefined> {
  const { address = '127.0.0.1', source, timeoutMs = 6000 } = asking
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>()
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const timer = setTimeout(() => resolve(undefined), timeoutMs)
  socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? undefined : reject(error)))
  socket.on('message', (answer: Uint8Array) => {
    if (answer[0] === query[0] && answer[1] === query[1]) resolve(answer)
  })
  socket.bind({ port: 0, ...(source === undefined ? {} : { address: source }) }, () =>
    socket.send(query, port, address),
  )
  return promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}

/** Sends bytes by UDP, again when no answer comes, as clients do. Returns the answer. */
export async function exchangeAgain(port: number, query: Uint8Array): Promise<Uint8Array> {
  const answer = await eventually(
    () => exchange(port, query, { timeoutMs: 2000 }),
    (found) => found !== undefined,
    { what: 'an answer' },
  )
  return answer ?? assert.fail()
}

/** Asks by TCP, all queries at once. The answers in the order in which they came; fewer when the server closed before. */
export function askByTcp(port: number, queries: readonly Uint8Array[], address = '127.0.0.1'): Promise<Uint8Array[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array[]>()
  const socket = connect(port, address)
  const frames = new StreamFrames()
  const answers: Uint8Array[] = []
  socket.setTimeout(8000, () => socket.destroy())
  socket.on('connect', () => socket.write(Buffer.concat(queries.map(frame))))
  socket.on('data', (piece: Buffer) => {
    answers.push(...frames.push(piece))
    if (answers.length === queries.length) socket.end()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)))
  socket.on('close', () => resolve(answers))
  return promise
}

/**
 * Asks by TCP and ends this half of the connection at once, after `more` bytes of another query. The answers, once the server
 * has ended its half, too.
 */
export function askAndEnd(port: number, queries: readonly Uint8Array[], more = 0): Promise<Uint8Array[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array[]>()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const frames = new StreamFrames()
  const answers: Uint8Array[] = []
  socket.setTimeout(8000, () => reject(new Error('the server keeps the connection open')))
  const rest = Buffer.from([0, 40, ...new Uint8Array(40)]).subarray(0, more)
  socket.on('connect', () => socket.end(Buffer.concat([...queries.map(frame), rest])))
  socket.on('data', (piece: Buffer) => answers.push(...frames.push(piece)))
  socket.on('error', reject)
  socket.on('end', () => resolve(answers))
  return promise.finally(() => socket.destroy())
}

/**
 * The shortest of several tries, milliseconds: a machine that is busy makes some of them long or fail, but one that waits for a
 * timer is never short. Fails when every try does.
 */
export async function fastest(tries: number, once: (n: number) => Promise<void>): Promise<number> {
  const times: number[] = []
  let failure: unknown
  for (let n = 0; n < tries; n++) {
    const began = performance.now()
    await once(n).then(
      () => times.push(performance.now() - began),
      (error: unknown) => (failure = error),
    )
  }
  if (times.length === 0) throw failure
  return Math.min(...times)
}
