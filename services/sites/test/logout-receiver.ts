import assert from 'node:assert/strict'
import { createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key that the provider publishes. */
export type PublishedKey = JsonWebKeyInput['key'] & { readonly kid: string }

/** Claims of a logout token. */
export type LogoutClaims = Readonly<Record<string, unknown>>

/** An application's address for back-channel logout, on loopback. */
export interface LogoutReceiver extends AsyncDisposable {
  readonly uri: string
  /** Tokens that were sent, whatever the answer was. */
  readonly tokens: string[]
  /** Status of its answers. */
  status: number
}

/** Starts a receiver of logout tokens. */
export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      receiver.tokens.push(new URLSearchParams(body).get('logout_token') ?? '')
      response.writeHead(receiver.status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: LogoutReceiver = {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`,
    tokens: [],
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** Checks a logout token as an application does, and returns its claims. */
export function readLogoutToken(token: string, keys: readonly PublishedKey[]): LogoutClaims {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string; typ: string; alg: string }
  assert.deepEqual([header.typ, header.alg], ['logout+jwt', 'RS256'])
  const key = keys.find(({ kid }) => kid === header.kid)
  assert.ok(key !== undefined, 'it is signed by a key that is published')
  const text = Buffer.from(`${head}.${payload}`)
  assert.ok(verify('sha256', text, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url')))
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as LogoutClaims
}
