import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { pinnedLookup, type OutboundPolicy } from '@hearth/outbound'
import type { TargetOf } from '../destinations/target.ts'
import type { Envelope } from '../message.ts'
import { textOf } from './message-text.ts'
import { oneLine, outcomeOfError, type Outcome } from './outcome.ts'

/** Context of sending mail. */
export interface MailContext {
  readonly mailPolicy: OutboundPolicy
  readonly service: string
  readonly timeoutMs: number
  readonly now: () => number
  readonly signal: AbortSignal
}

type EmailTarget = TargetOf<'email'>

/** Sends an envelope as one e-mail. The server's name is looked up and checked once; TLS is for that name. */
export async function sendEmail(target: EmailTarget, envelope: Envelope, context: MailContext): Promise<Outcome> {
  const { host, port } = target
  const server = `${host}:${port}`
  const timeout = AbortSignal.timeout(context.timeoutMs)
  const signal = AbortSignal.any([context.signal, timeout])
  try {
    const destination = await context.mailPolicy.resolve(host, port, signal)
    const socket = connect({ host, port, lookup: pinnedLookup(destination), autoSelectFamily: true, signal })
    // An error after the connection was made is nodemailer's to report.
    socket.on('error', () => undefined)
    try {
      await once(socket, 'connect', { signal })
      const detail = await sendOver(socket, { target, envelope, context, signal })
      return { kind: 'delivered', detail: `${server} answered ${detail}` }
    } finally {
      socket.destroy()
    }
  } catch (error) {
    if (timeout.aborted) return { kind: 'failed', detail: `${server} did not answer in time` }
    return outcomeOfMailError(error, server)
  }
}

interface Mail {
  readonly target: EmailTarget
  readonly envelope: Envelope
  readonly context: MailContext
  readonly signal: AbortSignal
}

/** Sends over a connection; returns the server's answer. */
async function sendOver(socket: Socket, { target, envelope, context, signal }: Mail): Promise<string> {
  // Loaded at the first mail, because most installations send none.
  const { createTransport } = await import('nodemailer')
  const { host, port, security, username, password } = target
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(isIP(host) === 0 ? { tls: { servername: host } } : {}),
    ...(username === null ? {} : { auth: { user: username, pass: password ?? '' }, forceAuth: true }),
    getSocket: (_options, done) => done(null, { connection: socket }),
    greetingTimeout: context.timeoutMs,
    socketTimeout: context.timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const { title, text, link } = textOf(envelope, context.service)
  const { response, rejected } = await transport.sendMail({
    from: { name: `Hearth ${context.service}`, address: target.from },
    to: target.to,
    subject: title,
    text: link === undefined ? text : `${text}\n\n${link}`,
    messageId: `<${envelope.id}@${target.from.split('@')[1] ?? 'hearth'}>`,
    date: new Date(context.now()),
    headers: { 'Auto-Submitted': 'auto-generated' },
    signal,
  })
  return oneLine(rejected.length === 0 ? response : `${response}, but refused ${rejected.join(', ')}`)
}

/** Returns the outcome of a failure: what the mail server refuses for good is not tried again. */
function outcomeOfMailError(error: unknown, server: string): Outcome {
  const { code, responseCode, response, command } = error as Readonly<Record<string, unknown>>
  if (code === 'ETLS' && command === 'STARTTLS')
    return { kind: 'failed', detail: `${server} does not offer STARTTLS, so nothing was sent` }
  if (typeof responseCode !== 'number') return outcomeOfError(error, server)
  const detail = `${server} answered ${oneLine(typeof response === 'string' ? response : String(responseCode))}`
  return { kind: responseCode >= 500 ? 'refused' : 'failed', detail }
}
