import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLogLine } from './log-line.ts'

const line = (request: object = {}, more: object = {}) =>
  JSON.stringify({
    level: 'info',
    ts: 1795287678.6469324,
    logger: 'http.log.access',
    msg: 'handled request',
    request: {
      remote_ip: '192.0.2.7',
      remote_port: '42888',
      proto: 'HTTP/1.1',
      method: 'GET',
      host: 'a.example',
      uri: '/p?q=secret',
      headers: { Authorization: ['Bearer hidden'], Cookie: ['hidden'] },
      ...request,
    },
    user_id: '',
    duration: 0.0123,
    size: 42,
    status: 200,
    resp_headers: { 'Set-Cookie': ['hidden'] },
    ...more,
  })

test('a log line of Caddy is parsed without its secrets', () => {
  assert.deepEqual(parseLogLine(line()), {
    at: 1_795_287_678_647,
    siteId: undefined,
    host: 'a.example',
    method: 'GET',
    path: '/p',
    status: 200,
    bytes: 42,
    durationMs: 12.3,
    client: '192.0.2.7',
    isProbe: false,
  })
})

test('the service’s own probes are distinguished from visits and cannot be imitated remotely', () => {
  const isProbe = (agent: string, remote_ip: string) =>
    parseLogLine(line({ headers: { 'User-Agent': [agent] }, remote_ip }))?.isProbe
  assert.deepEqual(
    [isProbe('Hearth check', '127.0.0.1'), isProbe('Hearth check', '192.0.2.7'), isProbe('curl', '127.0.0.1')],
    [true, false, false],
  )
})

test('newer versions report the client address behind a proxy', () => {
  assert.equal(parseLogLine(line({ client_ip: '198.51.100.1' }))?.client, '198.51.100.1')
})

test('a site’s logger identifies the site of a line', () => {
  const site = (logger: unknown) => parseLogLine(line({}, { logger }))?.siteId
  assert.deepEqual(['http.log.access.site-7', 'http.log.access.strangers', 'http.log.access.site-7x', 7].map(site), [
    7,
    undefined,
    undefined,
    undefined,
  ])
})

test('unusual hosts and paths are parsed', () => {
  const host = (text: unknown) => parseLogLine(line({ host: text }))?.host
  assert.deepEqual(['A.Example:8443', 'a.example.', '[::1]:80', '[::1]', '127.0.0.1:80', 7].map(host), [
    'a.example',
    'a.example',
    '::1',
    '::1',
    '127.0.0.1',
    '',
  ])
  const path = (text: unknown) => parseLogLine(line({ uri: text }))?.path
  assert.deepEqual(['/a#b', 'http://b.example/c?d', '', '*', '/x\r\ny\u001b[2J\u202e', '/<script>', null].map(path), [
    '/a',
    '/c',
    '/',
    '*',
    '/x\ufffd\ufffdy\ufffd[2J\ufffd',
    '/<script>',
    '/',
  ])
  assert.equal(path(`/${'a'.repeat(5000)}`)?.length, 256)
})

test('other lines are ignored', () => {
  const texts = [
    '',
    'hello',
    '{',
    '{}',
    '[]',
    'null',
    '{"request":null}',
    line({}, { ts: 'x' }),
    line({}, { status: null }),
  ]
  for (const text of texts) assert.equal(parseLogLine(text), undefined, text)
  assert.equal(parseLogLine(line({}, { duration: -1, size: 'x' }))?.durationMs, 0)
})
