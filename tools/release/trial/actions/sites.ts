import assert from 'node:assert/strict'
import { request } from 'node:http'
import { Client, eventually, firstSecret, isFirst } from './client.ts'

const account = { username: 'admin', password: 'a long enough passphrase 7' }
const client = new Client(8104)
await client.openPage()
const takeToken = async () => {
  const { token } = await client.call<{ token: string }>('GET', '/api/v1/csrf')
  client.headers['x-csrf-token'] = token
}
await takeToken()
if (isFirst) await client.call('POST', '/api/setup', { token: firstSecret('sites', 'setup-token'), ...account })
else await client.call('POST', '/api/session', account)
await takeToken()
if (isFirst)
  await client.call('POST', '/api/sites', {
    site_name: 'Hello',
    domains: ['hello.test'],
    kind: 'respond',
    tls: { mode: 'off' },
    respond: { body: 'Hello from Caddy' },
  })
assert.equal(await eventually(visit), 'Hello from Caddy')

/** What a visitor of the site gets from Caddy. */
function visit(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const outgoing = request({ host: '127.0.0.1', port: 8180, headers: { host: 'hello.test' }, timeout: 5000 })
  outgoing.on('error', reject).on('response', (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => (text += part))
    answer.on('end', () =>
      answer.statusCode === 200 ? resolve(text) : reject(new Error(`status ${answer.statusCode}`)),
    )
  })
  outgoing.end()
  return promise
}
