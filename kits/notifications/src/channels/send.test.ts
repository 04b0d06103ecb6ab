import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { after, test } from 'node:test'
import { createOpenGuarded, createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { selfSignedCertificate } from '@hearth/testing'
import type { Target } from '../destinations/target.ts'
import type { Envelope, Message } from '../message.ts'
import { send, type SendContext } from './send.ts'
import { signWebhook } from './webhook.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const message: Message = {
  class: 'site.down',
  severity: 'critical',
  state: 'began',
  title: 'Site down: wiki',
  text: 'No upstream answers.',
  link: 'https://sites.example.org/sites/3',
  at: noon,
}
const envelope: Envelope = { id: '11111111-1111-4111-8111-111111111111', messages: [message] }
const two: Envelope = { ...envelope, messages: [message, { ...message, title: 'Site up: wiki', state: 'ended' }] }

function contextFor(allow: string, more: Partial<SendContext> = {}): SendContext {
  const policy = createOutboundPolicy(createOutboundAllow(allow.split(',')), { resolver: async () => ['127.0.0.1'] })
  return {
    open: createOpenGuarded(policy),
    mailPolicy: policy,
    service: 'Sites',
    timeoutMs: 10_000,
    now: () => noon,
    signal: new AbortController().signal,
    ...more,
  }
}

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket) => after(() => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly path: string
  readonly body: string
}

/** A server that keeps what it gets and answers as told. */
async function receiver(answer: RequestListener) {
  const received: Received[] = []
  const port = await listen(
    createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        received.push({ headers: request.headers, path: request.url ?? '', body })
        answer(request, response)
      })
    }),
  )
  return { received, port, url: `http://receiver.test:${port}/hook` }
}

const hook = (url: string): Target => ({ kind: 'webhook', url, secret })

async function outcomeOf(answer: RequestListener) {
  const { url } = await receiver(answer)
  return send(hook(url), envelope, contextFor('receiver.test'))
}

test('a webhook gets one event with a signature that its secret verifies', async () => {
  const { received, url } = await receiver((_, response) => response.writeHead(204).end())
  const outcome = await send(hook(url), envelope, contextFor('receiver.test'))
  assert.equal(outcome.kind, 'delivered')
  const [got] = received
  assert.ok(got)
  assert.deepEqual(JSON.parse(got.body), {
    type: 'site.down',
    timestamp: '2026-03-01T12:00:00.000Z',
    data: {
      service: 'Sites',
      severity: 'critical',
      state: 'began',
      title: 'Site down: wiki',
      text: 'No upstream answers.',
      link: 'https://sites.example.org/sites/3',
    },
  })
  const id = String(got.headers['webhook-id'])
  const timestamp = String(got.headers['webhook-timestamp'])
  assert.equal(id, `msg_${envelope.id}`)
  assert.equal(timestamp, String(noon / 1000))
  assert.equal(got.headers['webhook-signature'], signWebhook({ id, timestamp, body: got.body }, secret))
  assert.notEqual(got.headers['webhook-signature'], signWebhook({ id, timestamp, body: `${got.body} ` }, secret))
})

test('a webhook gets a digest as one event with all messages', async () => {
  const { received, url } = await receiver((_, response) => response.end())
  await send(hook(url), two, contextFor('receiver.test'))
  const { type, data } = JSON.parse(received[0]?.body ?? '{}')
  assert.equal(type, 'digest')
  assert.deepEqual(
    data.messages.map(({ type, title }: { type: string; title: string }) => [type, title]),
    [
      ['site.down', 'Site down: wiki'],
      ['site.down', 'Site up: wiki'],
    ],
  )
})

test('ntfy gets topic, title, text, priority and link, with its token', async () => {
  const { received, port } = await receiver((_, response) => response.end('{}'))
  const target: Target = { kind: 'ntfy', server: `http://receiver.test:${port}`, topic: 'home', token: 'tk_1' }
  assert.equal((await send(target, envelope, contextFor('receiver.test'))).kind, 'delivered')
  const [got] = received
  assert.equal(got?.path, '/')
  assert.equal(got?.headers.authorization, 'Bearer tk_1')
  const { topic, title, message: text, priority, click } = JSON.parse(got?.body ?? '{}')
  assert.deepEqual(
    [topic, title, text, priority, click],
    ['home', 'Site down: wiki', 'No upstream answers.', 5, 'https://sites.example.org/sites/3'],
  )
  await send({ ...target, token: null }, envelope, contextFor('receiver.test'))
  assert.equal(received[1]?.headers.authorization, undefined)
})

test('Gotify gets title, text and priority below the server’s path, with its token in a header', async () => {
  const { received, port } = await receiver((_, response) => response.end('{}'))
  const target: Target = { kind: 'gotify', server: `http://receiver.test:${port}/gotify/`, token: 'A1' }
  assert.equal((await send(target, two, contextFor('receiver.test'))).kind, 'delivered')
  const [got] = received
  assert.equal(got?.path, '/gotify/message')
  assert.equal(got?.headers['x-gotify-key'], 'A1')
  const { title, message: text } = JSON.parse(got?.body ?? '{}')
  assert.equal(title, '2 messages from Hearth Sites')
  assert.match(text, /2026-03-01 12:00 UTC {2}Site down: wiki: No upstream answers\.\n.*Site up: wiki/)
})

test('what may pass is tried again: 5xx, 408, 425 and 429, which says when', async () => {
  for (const status of [500, 502, 503, 408, 425]) {
    const outcome = await outcomeOf((_, response) => response.writeHead(status).end())
    assert.equal(outcome.kind, 'failed', String(status))
    assert.match(outcome.detail, new RegExp(`^receiver.test:\\d+ answered ${status}$`))
  }
  const limited = await outcomeOf((_, response) => response.writeHead(429, { 'retry-after': '120' }).end())
  assert.deepEqual([limited.kind, 'retryAfterMs' in limited && limited.retryAfterMs], ['failed', 120_000])
  const date = new Date(noon + 60_000).toUTCString()
  const later = await outcomeOf((_, response) => response.writeHead(503, { 'retry-after': date }).end())
  assert.equal('retryAfterMs' in later && later.retryAfterMs, 60_000)
})

test('what the server refuses for good is not tried again, and its reason is shown', async () => {
  for (const status of [400, 401, 403, 404, 410, 413])
    assert.equal((await outcomeOf((_, response) => response.writeHead(status).end())).kind, 'refused', String(status))
  const outcome = await outcomeOf((_, response) =>
    response.writeHead(401).end(JSON.stringify({ error: 'unauthorized\r\nX: 1', errorDescription: 'no such\ttoken' })),
  )
  assert.match(outcome.detail, / answered 401: no such token$/)
})

test('a redirect is not followed; its target’s host is named and the rest is not', async () => {
  const outcome = await outcomeOf((_, response) =>
    response.writeHead(302, { location: 'https://elsewhere.test/secret?token=1' }).end(),
  )
  assert.equal(outcome.kind, 'refused')
  assert.match(outcome.detail, / answered 302, a redirect to elsewhere\.test$/)
})

test('a status of success counts although the rest of the answer is cut', async () => {
  const outcome = await outcomeOf((request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('only this')
    request.socket.destroySoon()
  })
  assert.equal(outcome.kind, 'delivered')
})

test('a server that refuses, hangs up or never answers is tried again', async () => {
  const gone = createServer()
  const port = await listen(gone)
  await new Promise((resolve) => gone.close(resolve))
  const refused = await send(hook(`http://receiver.test:${port}/`), envelope, contextFor('receiver.test'))
  assert.deepEqual([refused.kind, refused.detail], ['failed', `receiver.test:${port} refuses the connection`])
  const hangUp = await outcomeOf((request) => request.socket.destroy())
  assert.equal(hangUp.kind, 'failed')
  assert.match(hangUp.detail, /closed the connection/)
  const silent = await listen(createTcpServer())
  const context = contextFor('receiver.test', { timeoutMs: 300 })
  const late = await send(hook(`http://receiver.test:${silent}/`), envelope, context)
  assert.deepEqual([late.kind, late.detail], ['failed', 'receiver.test did not answer in time'])
})

test('a certificate that is not trusted gets nothing', async () => {
  const { key, certificate } = selfSignedCertificate('receiver.test')
  let requests = 0
  const port = await listen(createTlsServer({ key, cert: certificate }, () => (requests += 1)))
  const outcome = await send(hook(`https://receiver.test:${port}/`), envelope, contextFor('receiver.test'))
  assert.equal(outcome.kind, 'failed')
  assert.match(outcome.detail, /has a certificate that is not trusted: it signed itself/)
  assert.equal(requests, 0)
})

test('a private address is refused without a connection unless the operator allows it', async () => {
  const { received, url } = await receiver((_, response) => response.end())
  const outcome = await send(hook(url), envelope, contextFor('other.test'))
  assert.equal(outcome.kind, 'refused')
  assert.match(outcome.detail, /OUTBOUND_ALLOW/)
  const usual = await send(hook('http://receiver.test/'), envelope, contextFor('other.test'))
  assert.match(usual.detail, /does not lead to a public address/)
  assert.equal(received.length, 0)
})

test('an outcome shows neither path nor query nor secret', async () => {
  const { port } = await receiver((_, response) => response.writeHead(500).end())
  const outcome = await send(
    hook(`http://receiver.test:${port}/s3cret?k=s3cret`),
    envelope,
    contextFor('receiver.test'),
  )
  assert.ok(!JSON.stringify(outcome).includes('s3cret'))
})
