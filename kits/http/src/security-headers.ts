import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

const nonces = new WeakMap<object, string>()

/** The nonce of this answer's content security policy; the page that is sent carries the same one. */
export function nonceOf(response: ServerResponse): string {
  let nonce = nonces.get(response)
  if (nonce === undefined) {
    nonce = randomBytes(16).toString('base64url')
    nonces.set(response, nonce)
  }
  return nonce
}

/**
 * Puts the same strict headers on every answer: nothing may be embedded or framed, scripts and style elements need the
 * nonce, no referrer leaves. Style attributes are allowed, because positioned widgets set them. Strict transport security is
 * left to the reverse proxy that has the certificate.
 */
export async function addSecurityHeaders(app: FastifyInstance): Promise<void> {
  const withNonce = (_request: unknown, response: unknown) => `'nonce-${nonceOf(response as ServerResponse)}'`
  await app.register(helmet, {
    global: true,
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", withNonce],
        styleSrcElem: ["'self'", withNonce],
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  })
}
