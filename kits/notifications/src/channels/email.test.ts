import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { selfSignedCertificate } from '@hearth/testing'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { TargetOf } from '../destinations/target.ts'
import type { Envelope } from '../message.ts'
import { sendEmail, type MailContext } from './email.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const envelope: Envelope = {
  id: '11111111-1111-4111-8111-111111111111',
  messages: [
    {
      class: 'site.down',
      severity: 'critical',
      state: 'began',
      title: 'Site down: wiki\r\nBcc: eve@example.org',
      text: 'No upstream answers. Grüße.',
      link: 'https://sites.example.org/sites/3',
      at: noon,
    },
  ],
}

function contextFor(allow: string, more: Partial<MailContext> = {}): MailContext {
  const allowed = createOutboundAllow(allow.split(','))
  return {
    mailPolicy: createOutboundPolicy(allowed, { resolver: async () => ['127.0.0.1'], ports: [25, 465, 587] }),
    service: 'Sites',
    timeoutMs: 10_000,
    now: () => noon,
    signal: new AbortController().signal,
    ...more,
  }
}

const trusted = selfSignedCertificate('mail.test')
const untrusted = selfSignedCertificate('mail.test')
setDefaultCACertificates([...getCACertificates('default'), trusted.certificate])

interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
  readonly secure: boolean
  readonly user: unknown
}

/** A mail server that keeps what it gets. */
async function mailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    key: trusted.key,
    cert: trusted.certificate,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username ?? '' }) : done(new Error('wrong')),
    onData(stream, session, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (part: string) => (text += part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : (mailFrom?.address ?? '')
        mails.push({ from, to: rcptTo.map(({ address }) => address), text, secure: session.secure, user: session.user })
        done()
      })
    },
    ...options,
  })
  // Handshakes that fail are what some tests are about.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  after(() => server.close())
  const { port } = server.server.address() as AddressInfo
  return { mails, port }
}

const target = (port: number, more: Partial<TargetOf<'email'>> = {}): TargetOf<'email'> => ({
  kind: 'email',
  host: 'mail.test',
  port,
  security: 'starttls',
  username: null,
  password: null,
  from: 'hearth@example.org',
  to: ['ada@example.org', 'bob@example.org'],
  ...more,
})

test('mail goes over STARTTLS to a server whose certificate is for its name', async () => {
  const { mails, port } = await mailServer()
  const outcome = await sendEmail(target(port), envelope, contextFor('mail.test'))
  assert.equal(outcome.kind, 'delivered', outcome.detail)
  const [mail] = mails
  assert.equal(mail?.secure, true)
  assert.deepEqual([mail?.from, mail?.to], ['hearth@example.org', ['ada@example.org', 'bob@example.org']])
  assert.match(mail?.text ?? '', /^From: Hearth Sites <hearth@example\.org>\r$/m)
  assert.match(mail?.text ?? '', /^Message-ID: <11111111-1111-4111-8111-111111111111@example\.org>\r$/m)
  assert.match(mail?.text ?? '', /https:\/\/sites\.example\.org\/sites\/3/)
  assert.doesNotMatch(mail?.text ?? '', /^Bcc:/im)
})

test('mail goes over TLS from the begin, with a sign-in', async () => {
  const { mails, port } = await mailServer({ secure: true, authOptional: false })
  const signedIn = target(port, { security: 'tls', username: 'ada', password: 'right' })
  const outcome = await sendEmail(signedIn, envelope, contextFor('mail.test'))
  assert.equal(outcome.kind, 'delivered', outcome.detail)
  assert.deepEqual([mails[0]?.secure, mails[0]?.user], [true, 'ada'])
})

test('a wrong password is given up at once, and is not shown', async () => {
  const { mails, port } = await mailServer({ authOptional: false })
  const wrong = target(port, { username: 'ada', password: 's3cret' })
  const outcome = await sendEmail(wrong, envelope, contextFor('mail.test'))
  assert.equal(outcome.kind, 'refused', outcome.detail)
  assert.match(outcome.detail, /answered 535/)
  assert.ok(!JSON.stringify(outcome).includes('s3cret'))
  assert.equal(mails.length, 0)
})

test('a server without STARTTLS gets nothing unless encryption is switched off', async () => {
  const { mails, port } = await mailServer({ disabledCommands: ['STARTTLS'] })
  const outcome = await sendEmail(target(port), envelope, contextFor('mail.test'))
  assert.notEqual(outcome.kind, 'delivered')
  assert.match(outcome.detail, /STARTTLS/i)
  assert.equal(mails.length, 0)
  const plain = await sendEmail(target(port, { security: 'none' }), envelope, contextFor('mail.test'))
  assert.equal(plain.kind, 'delivered', plain.detail)
  assert.equal(mails[0]?.secure, false)
})

test('a certificate that is not trusted, or for another name, gets nothing', async () => {
  for (const security of ['starttls', 'tls'] as const) {
    const options = { key: untrusted.key, cert: untrusted.certificate, secure: security === 'tls' }
    const { mails, port } = await mailServer(options)
    const outcome = await sendEmail(target(port, { security }), envelope, contextFor('mail.test'))
    assert.equal(outcome.kind, 'failed', outcome.detail)
    assert.match(outcome.detail, /certificate/)
    assert.equal(mails.length, 0)
  }
  const { mails, port } = await mailServer()
  const outcome = await sendEmail(target(port, { host: 'other.test' }), envelope, contextFor('other.test'))
  assert.equal(outcome.kind, 'failed')
  assert.match(outcome.detail, /another name|altnames/i)
  assert.equal(mails.length, 0)
})

test('a refusal of the recipients is final, a temporary one is tried again', async () => {
  const refusing = (responseCode: number) =>
    mailServer({ onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode })) })
  const unknown = await sendEmail(target((await refusing(550)).port), envelope, contextFor('mail.test'))
  assert.equal(unknown.kind, 'refused')
  assert.match(unknown.detail, /answered 550/)
  const later = await sendEmail(target((await refusing(451)).port), envelope, contextFor('mail.test'))
  assert.equal(later.kind, 'failed')
})

test('a server that refuses or says nothing is tried again; a private one that is not allowed is not connected to', async () => {
  const silent = createTcpServer((socket) => after(() => socket.destroy()))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const late = await sendEmail(target(port), envelope, contextFor('mail.test', { timeoutMs: 300 }))
  assert.deepEqual([late.kind, late.detail], ['failed', `mail.test:${port} did not answer in time`])
  await new Promise((resolve) => silent.close(resolve))
  const gone = await sendEmail(target(port), envelope, contextFor('mail.test'))
  assert.deepEqual([gone.kind, gone.detail], ['failed', `mail.test:${port} refuses the connection`])
  const refused = await sendEmail(target(587), envelope, contextFor('other.test'))
  assert.equal(refused.kind, 'refused')
  assert.match(refused.detail, /does not lead to a public address/)
})
