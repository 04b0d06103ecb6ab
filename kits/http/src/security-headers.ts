import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import helmet from 'helmet'

/** Placeholder of the nonce in a page's policy. */
const placeholder = 'NONCE'

/**
 * The same strict headers on every answer: nothing may be embedded or framed, scripts and style elements come from files of
 * the server, or need the nonce of their page; no referrer leaves. Style attributes are allowed, because positioned widgets
 * set them. Strict transport security is left to the reverse proxy that has the certificate. They are put together once: an
 * answer without a page needs no nonce.
 */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(plainHeaders)
    done()
  })
}

/** The headers of an answer that is no page. */
export const plainHeaders: Readonly<Record<string, string>> = headersWith(["'self'"])

const pagePolicy = headersWith(["'self'", `'nonce-${placeholder}'`])['content-security-policy'] ?? ''

/** Gives a page's answer a policy with a new nonce, and returns the nonce. */
export function allowNonce(reply: FastifyReply): string {
  const nonce = randomBytes(16).toString('base64url')
  reply.header('content-security-policy', pagePolicy.replaceAll(placeholder, nonce))
  return nonce
}

function headersWith(sources: readonly string[]): Record<string, string> {
  const collected: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => (collected[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  }
  helmet({
    strictTransportSecurity: false,
    // Answers to browsers of long ago; today's have no use for them.
    dnsPrefetchControl: false,
    ieNoOpen: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [...sources],
        styleSrcElem: [...sources],
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  })({} as IncomingMessage, response as unknown as ServerResponse, () => undefined)
  return collected
}
