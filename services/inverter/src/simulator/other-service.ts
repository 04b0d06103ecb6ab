import type { Socket } from 'node:net'

/** Answers of other servers to a client that they do not understand. */
const answers = {
  http: 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
  ssh: 'SSH-2.0-OpenSSH_10.0\r\n',
  tls: '\u0015\u0003\u0001\u0000\u0002\u0002\u0046',
} as const

/** Answers a connection as something that is no inverter. */
export function answerAs(service: keyof typeof answers, socket: Socket): void {
  socket.on('error', () => undefined)
  socket.on('data', () => socket.end(Buffer.from(answers[service], 'latin1')))
}
