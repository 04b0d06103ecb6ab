import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { eventually } from '@hearth/testing'
import { encodeFrame, type Frame } from '../src/protocol/frame.ts'
import { createFrameParser } from '../src/protocol/parser.ts'
import { catalog } from './in-process.ts'

/** A program that speaks the inverter's protocol, as others do that know nothing of this service. */
export interface SharedClient extends AsyncDisposable {
  readonly socket: Socket
  /** Everything that arrived. */
  readonly frames: readonly Frame[]
  /** Sends a request; see `answerTo` for what comes. */
  send(frame: Partial<Frame> & { readonly name: string }): void
  /** Reads an object; resolves with the bytes of the answer. */
  read(name: string, address?: number): Promise<Uint8Array>
  /** Waits for the next answer about an object, beyond those that came already. */
  next(name: string): Promise<Uint8Array>
  /** Resolves when the other side has closed the connection. */
  closed(): Promise<void>
}

const idOf = (name: string): number => catalog.byName(name)?.objectId ?? 0

/** Connects to a port of this host. */
export async function connectClient(port: number): Promise<SharedClient> {
  const frames: Frame[] = []
  const parser = createFrameParser({ onFrame: (frame) => frames.push(frame) })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.on('data', (bytes: Buffer) => {
    parser.push(bytes)
    parser.idle()
  })
  await Promise.race([once(socket, 'connect'), closed])
  const about = (name: string) => frames.filter(({ objectId }) => objectId === idOf(name))
  const client: SharedClient = {
    socket,
    frames,
    send({ name, ...frame }) {
      const request = { command: 'read', address: undefined, payload: new Uint8Array(0), ...frame } as const
      socket.write(encodeFrame({ ...request, objectId: idOf(name) }))
    },
    async read(name, address) {
      const answer = client.next(name)
      client.send({ name, address })
      return answer
    },
    async next(name) {
      const before = about(name).length
      const found = await eventually(
        () => about(name)[before],
        (frame) => frame !== undefined,
        { what: `an answer about ${name}`, everyMs: 5 },
      )
      return found?.payload ?? new Uint8Array(0)
    },
    async closed() {
      await closed
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await closed
    },
  }
  return client
}
