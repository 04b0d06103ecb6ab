import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Log } from '@hearth/runtime'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import { createFrameParser } from '../protocol/parser.ts'

/** One side of an exchange as the device saw it. */
export interface WireEntry {
  readonly direction: 'received' | 'sent'
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly frame: Frame
}

/** Reaction of a device to a frame: frames or bytes as its answer, or none. */
export type Script = (frame: Frame, connection: Socket) => Iterable<Frame | Uint8Array> | undefined

/** A device for tests: a TCP server on a free port of this machine that does what its script says. */
export interface ScriptedDevice extends AsyncDisposable {
  readonly port: number
  /** Number of connections accepted so far. */
  readonly accepted: number
  readonly wire: readonly WireEntry[]
  /** Requests that came, without what was answered. */
  received(): Frame[]
  play(script: Script): void
  /** Sets what happens to a connection when it is accepted. */
  onAccept(run: (socket: Socket) => void): void
  /** Sends to every client. */
  send(...parts: readonly (Frame | Uint8Array)[]): void
  dropConnections(): void
  /** Refuses connections from now on. */
  stop(): Promise<void>
}

/** Starts a device that answers nothing. */
export async function startScriptedDevice(script: Script = () => undefined): Promise<ScriptedDevice> {
  const wire: WireEntry[] = []
  const sockets = new Set<Socket>()
  let accepted = 0
  let play = script
  let onAccept: (socket: Socket) => void = () => undefined
  const send = (socket: Socket, part: Frame | Uint8Array) => {
    if (!(part instanceof Uint8Array)) wire.push({ direction: 'sent', at: performance.now(), frame: part })
    socket.write(part instanceof Uint8Array ? part : encodeFrame(part))
  }
  const server = createServer({ noDelay: true }, (socket) => {
    accepted += 1
    sockets.add(socket)
    const parser = createFrameParser({
      onFrame: (frame) => {
        wire.push({ direction: 'received', at: performance.now(), frame })
        for (const part of play(frame, socket) ?? []) send(socket, part)
      },
    })
    socket.on('data', (chunk: Buffer) => parser.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    onAccept(socket)
  })
  await listen(server)
  const stop = async () => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    wire,
    received: () => wire.filter(({ direction }) => direction === 'received').map(({ frame }) => frame),
    play: (script) => (play = script),
    onAccept: (run) => (onAccept = run),
    send: (...parts) => {
      for (const socket of sockets) for (const part of parts) send(socket, part)
    },
    dropConnections: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The answer to a request, with a payload of bytes or hexadecimal digits. */
export function answerTo({ objectId, address }: Frame, payload: Uint8Array | string): Frame {
  return response(objectId, payload, address)
}

/** A response that may answer no request. */
export function response(objectId: number, payload: Uint8Array | string, address?: number): Frame {
  const bytes = typeof payload === 'string' ? Uint8Array.fromHex(payload) : payload
  return { command: 'response', address, objectId, payload: bytes }
}

/** A log that keeps its messages. */
export function createMemoryLog(): { log: Log; messages: string[] } {
  const messages: string[] = []
  const note = (first: unknown, second?: unknown) => {
    messages.push(String(second ?? first))
  }
  return { log: { debug: note, info: note, warn: note, error: note } as unknown as Log, messages }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
}
