import type { Server, Socket } from 'node:net'

/**
 * Bounds the connections of a server: all of them, and those of one address, so that one client cannot take every place. What is
 * beyond is closed at once.
 */
export function limitConnections(
  server: Pick<Server, 'maxConnections' | 'on'>,
  { total, ofAddress }: { total: number; ofAddress: number },
): void {
  server.maxConnections = total
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const from = socket.remoteAddress ?? ''
    const count = (counts.get(from) ?? 0) + 1
    counts.set(from, count)
    socket.once('close', () => {
      const left = (counts.get(from) ?? 1) - 1
      if (left === 0) counts.delete(from)
      else counts.set(from, left)
    })
    if (count > ofAddress) socket.destroy()
  })
}
