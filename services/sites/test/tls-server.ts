import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { NodeEndpoint } from '../src/certificates/site-host.ts'
import type { TestCertificate } from './test-authority.ts'

/** A web server that speaks TLS as badly as a test wants. */
export interface TlsServer extends AsyncDisposable {
  readonly endpoint: NodeEndpoint
}

export interface TlsServerWish extends Pick<
  SecureContextOptions,
  'minVersion' | 'maxVersion' | 'ciphers' | 'ecdhCurve'
> {
  readonly certificate: TestCertificate
  /** Value of Strict-Transport-Security. */
  readonly hsts?: string
  /** Redirects plain HTTP to HTTPS. */
  readonly redirects?: boolean
  readonly ocspAnswer?: Uint8Array
}

/** Listens on loopback with HTTPS and HTTP. */
export async function startTlsServer(wish: TlsServerWish): Promise<TlsServer> {
  const { certificate, hsts, redirects = true, ocspAnswer, ...limits } = wish
  const secure = createSecureServer(
    { cert: certificate.chain, key: certificate.key, ...limits },
    (_request, response) => {
      if (hsts !== undefined) response.setHeader('strict-transport-security', hsts)
      response.end('hello')
    },
  )
  if (ocspAnswer !== undefined)
    secure.on(
      'OCSPRequest',
      (_certificate: Buffer, _issuer: Buffer, done: (error: Error | null, answer: Buffer) => void) =>
        done(null, Buffer.from(ocspAnswer)),
    )
  const plain = createServer((request, response) => {
    if (redirects) response.writeHead(308, { location: `https://${request.headers.host}/` })
    response.end()
  })
  const [httpsPort, httpPort] = await Promise.all([listen(secure), listen(plain)])
  return {
    endpoint: { address: '127.0.0.1', httpsPort, httpPort },
    async [Symbol.asyncDispose]() {
      for (const server of [secure, plain]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
